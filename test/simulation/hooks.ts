/**
 * For `node --import`: loads the product's own modules with virtual time, a model of Temporal's workflow runtime and the chosen
 * mutant. No file on the disk changes.
 */
import { registerHooks } from 'node:module'
import { MUTANTS } from '../faults/mutants.ts'

const here = (file: string) => new URL(file, import.meta.url).href
const ROOT = new URL('../..', import.meta.url).href

/** Modules with virtual time: all but those that talk to Postgres, listen, render or start something. */
const TIMED = /^(src\/(?!(http|runtime|bin|rendering|schema)\/)[^/]+|activities|workflows)\/(?!db\/|entities)/

const VIRTUAL = `import { setTimeout, clearTimeout, setInterval, clearInterval, performance, Date, Math, AbortSignal } from '${here('./virtual-time.ts')}'; `

/** Identifiers are sequential, so that they are the same in a repeated run. */
const IDS = 'src/platform/ids.ts'
const RANDOM_ID = 'v7({ random: randomBytes(16) })'
const SAME_ID = 'v7({ msecs: 1_767_225_600_000, seq: (idsUsed += 1), random: new Uint8Array(16) })'

function replaceOnce(source: string, text: string, by: string): string {
  if (!source.includes(text)) throw new Error(`"${text}" is no longer in the source`)
  return source.replace(text, () => by)
}

const named = process.argv.indexOf('--mutant')
const mutant = named < 0 ? undefined : MUTANTS[process.argv[named + 1] ?? '']
if (named >= 0 && !mutant) throw new Error('Unknown mutant. --list-mutants lists the names')

registerHooks({
  resolve(specifier, context, nextResolve) {
    const parent = context.parentURL?.startsWith(ROOT) ? context.parentURL.slice(ROOT.length) : ''
    if (TIMED.test(parent)) {
      if (specifier === 'node:timers/promises') return { url: here('./timers-promises.ts'), shortCircuit: true }
      if (specifier === '@temporalio/workflow') return { url: here('./workflow-runtime.ts'), shortCircuit: true }
      if (specifier === '@temporalio/activity') return { url: here('./activity-runtime.ts'), shortCircuit: true }
    }
    return nextResolve(specifier, context)
  },
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const path = url.startsWith(ROOT) ? url.slice(ROOT.length) : ''
    const isMutated = mutant?.file === path
    if (!(TIMED.test(path) || isMutated) || loaded.source === undefined || loaded.source === null) return loaded
    const given =
      typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString()
    const source = isMutated ? replaceOnce(given, mutant.replace, mutant.by) : given
    if (path === IDS)
      return { ...loaded, source: `${VIRTUAL}let idsUsed = 0; ${replaceOnce(source, RANDOM_ID, SAME_ID)}` }
    return { ...loaded, source: TIMED.test(path) ? VIRTUAL + source : source }
  },
})
