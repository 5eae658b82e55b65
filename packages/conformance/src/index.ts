// A clock turned by hand, for anybody's tests
export { type ManualClock, manualClock } from './manual-clock.ts'
// For authors of stores
export { type StoreCase, type StoreHarness } from './store-case.ts'
export { storeCases } from './store-cases.ts'
export { type Vector, type VectorReading, vectors, type VectorStep } from './vectors.ts'
export {
  createModel,
  type Model,
  summaryOf,
  type Summary,
  type SummedReading,
  type TimeRule,
} from './bigint-model.ts'
// For authors of adapters
export { type AdapterCase, type AdapterHarness, type AnyOptions, type AppSpec } from './adapter-case.ts'
export { adapterCases } from './adapter-cases.ts'
export { serve } from './serve.ts'
export { warningsOf } from './warnings-of.ts'
