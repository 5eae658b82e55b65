import { type StoreCase, storeCases } from '../src/index.ts'

/** The one case of that name; a mutant that names none would prove nothing. */
export function caseNamed(name: string): StoreCase {
  const found = storeCases.find((candidate) => candidate.name === name)
  if (found === undefined) throw new Error(`no case is named '${name}'`)
  return found
}
