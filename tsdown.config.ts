import { defineConfig } from 'tsdown'

export default defineConfig({
  workspace: 'packages/*',
  entry: 'src/index.ts',
  format: ['esm', 'cjs'],
  target: 'node20.19',
  dts: { sourcemap: true },
  sourcemap: true,
  clean: true,
})
