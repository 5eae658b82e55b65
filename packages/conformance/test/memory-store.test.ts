import { memoryStore } from '@tickbucket/core'
import { test } from 'vitest'
import { storeCases } from '../src/index.ts'

for (const { name, run } of storeCases) test(name, () => run({ create: (clock) => memoryStore({ clock }) }))
