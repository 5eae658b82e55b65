import { readFileSync } from 'node:fs'
import { storeCases } from '@tickbucket/conformance'
import { expect, test } from 'vitest'
import { mapStore } from './map-store.ts'

for (const { name, run } of storeCases) test(name, () => run({ create: (clock) => mapStore(clock) }))

test('docs/writing-a-store.md shows this store', () => {
  const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
  expect(read('../../../docs/writing-a-store.md')).toContain(read('map-store.ts'))
})
