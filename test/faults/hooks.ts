/**
 * For `node --import`: inserts the named points, and the mutant that FAULT_MUTANT names, into the product's own modules while
 * they are loaded. No file on the disk changes.
 */
import { registerHooks } from 'node:module'
import { isMainThread } from 'node:worker_threads'
import { MUTANTS } from './mutants.ts'
import { withMutant } from './mutate.ts'
import { POINTS, withPoints } from './points.ts'
import { connectToController } from './standing.ts'

const ROOT = new URL('../..', import.meta.url).href
const { FAULT_MUTANT, FAULT_PROCESS = '', FAULT_CONTROLLER } = process.env
const mutant = MUTANTS[FAULT_MUTANT ?? '']
const part = FAULT_PROCESS.split('-')[0] as keyof typeof POINTS
// Threads do what their process requests: none of them has a point.
const hasPoints = isMainThread && FAULT_CONTROLLER !== undefined && Object.hasOwn(POINTS, part)
if (hasPoints) connectToController(FAULT_CONTROLLER, FAULT_PROCESS)

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const file = url.startsWith(ROOT) ? url.slice(ROOT.length) : ''
    if (file === '' || file.startsWith('node_modules/') || loaded.source === undefined || loaded.source === null)
      return loaded
    const given =
      typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString()
    // The points are inserted first: they refer to lines that a mutant may replace.
    const pointed = hasPoints ? withPoints(part, file, given) : given
    return { ...loaded, source: mutant ? withMutant(mutant, file, pointed) : pointed }
  },
})
