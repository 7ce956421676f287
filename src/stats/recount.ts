import { IsolationLevel } from '@mikro-orm/core'
import { addArchivedCounts, clearCounters, CounterChanges, writeCounterChanges } from '../counters/index.ts'
import { recountEnrollments } from '../enrollments/index.ts'
import { recountClicks, recountMessages } from '../messages/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { recountRuns } from '../steps/index.ts'
import { recountRefusedEntries } from '../triggers/index.ts'
import { storedSums } from './stored-sums-queries.ts'

/** Counts again everything that counters count. Reads all enrollments, step runs, messages and refused entries. */
async function countAll(em: EntityManager): Promise<CounterChanges> {
  const changes = new CounterChanges()
  await recountEnrollments(em, changes)
  await recountRuns(em, changes)
  await recountRefusedEntries(em, changes)
  await recountMessages(em, changes)
  await recountClicks(em, changes)
  await addArchivedCounts(em, changes)
  return changes
}

/**
 * Replaces all counters by new counts. Nothing else may write at the same time.
 * @param em a transaction
 */
export async function recountCounters(em: EntityManager): Promise<void> {
  await clearCounters(em)
  await writeCounterChanges(em, await countAll(em))
}

/** A counter that differs from what it counts. */
export interface CounterDifference {
  /** The kind of counter, what it is about, and its name. */
  counter: string
  stored: number
  counted: number
}

/** Compares all counters with what they count, in one snapshot. Takes no locks. */
export const counterDifferences = (em: EntityManager): Promise<CounterDifference[]> =>
  em.fork().transactional(
    async (unit) => {
      const stored = await storedSums(unit)
      const counted = sumsOf(await countAll(unit))
      const differences: CounterDifference[] = []
      for (const counter of new Set([...stored.keys(), ...counted.keys()])) {
        const [is, shouldBe] = [stored.get(counter) ?? 0, counted.get(counter) ?? 0]
        if (is !== shouldBe) differences.push({ counter, stored: is, counted: shouldBe })
      }
      return differences
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ },
  )

const HOUR_S = 3_600

/** Adds changes up as `foldCounters` does. Keys are those of `storedSums`. */
function sumsOf(changes: CounterChanges): Map<string, number> {
  const sums = new Map<string, number>()
  const add = (change: number, ...key: (string | number)[]) =>
    sums.set(key.join(' '), (sums.get(key.join(' ')) ?? 0) + change)
  const { counters, domains, links } = changes.list()
  for (const { workspaceId, automationId, stepId, at, counter, change } of counters) {
    const seconds = Date.parse(at) / 1_000
    add(change, 'step', automationId, stepId, counter)
    add(change, 'flow', workspaceId, counter, seconds)
    if (counter !== 'WAITING' && counter !== 'PAUSED')
      add(change, 'flow', automationId, counter, seconds - (seconds % HOUR_S))
  }
  for (const { workspaceId, domain, day, changes: columns } of domains)
    for (const [column, change] of Object.entries(columns))
      for (const each of [domain, '']) add(change, 'domain', workspaceId, each, day, column)
  for (const { automationId, stepId, url, change } of links) add(change, 'link', automationId, stepId, url)
  return sums
}
