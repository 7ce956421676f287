/** `node --import`: breaks the source as FAULT_MUTANT says, while it is loaded. Nothing on the disk changes. */
import { registerHooks } from 'node:module'
import { MUTANTS } from './mutants.ts'

const mutant = MUTANTS[process.env['FAULT_MUTANT'] ?? '']
if (mutant) {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (!url.endsWith(`/${mutant.file}`) || loaded.source === undefined || loaded.source === null) return loaded
      const source =
        typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString()
      if (!source.includes(mutant.replace)) throw new Error(`The mutant does not fit ${mutant.file} any more`)
      return { ...loaded, source: source.replace(mutant.replace, () => mutant.by) }
    },
  })
}
