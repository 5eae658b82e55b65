import { defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  ssr: { resolve: { conditions: ['@tickbucket/source', ...defaultServerConditions] } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', './scripts/plain-count-reporter.ts'],
    // Processes and sockets share two cores with everything else.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
