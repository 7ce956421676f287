// cspell:ignore localtime
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { Temporal } from 'temporal-polyfill'
import type { WaitTarget } from '../../src/automation-engine/index.ts'
import { isTimeZone } from '../../src/platform/time-zone.ts'
import { instantOfTarget } from '../../src/steps/target-time.ts'

/** Names of the database that are not time zones of a place. */
const NO_ZONES = ['Factory', 'localtime']

type Change = [instant: number, before: number, after: number]
type Case = [until: WaitTarget, now: number, expected: number]

const offsetAt = (zone: string, instant: number) =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone).offsetNanoseconds / 1e6

/** Python and Node.js bring their own versions of the database, and some versions correct a few zones' past. */
const isSameInBoth = (zone: string, changes: readonly Change[]) =>
  changes.every(([at, before, after]) => offsetAt(zone, at - 1) === before && offsetAt(zone, at) === after)

describe('the time of a WAIT_UNTIL', () => {
  it('is the one of zoneinfo around each change of the clocks, in each zone of the tz database', () => {
    const lines = execFileSync('python3', [join(import.meta.dirname, 'zoned-times.py')], { maxBuffer: 100_000_000 })
    const wrong: string[] = []
    const counts = { zones: 0, different: 0, zonesWithChanges: 0, cases: 0 }
    for (const line of lines.toString().trim().split('\n')) {
      const [zone, changes, cases] = JSON.parse(line) as [string, Change[], Case[]]
      if (NO_ZONES.includes(zone)) continue
      assert.ok(isTimeZone(zone), zone)
      counts.zones += 1
      if (!isSameInBoth(zone, changes)) {
        counts.different += 1
        continue
      }
      counts.zonesWithChanges += cases.length > 0 ? 1 : 0
      counts.cases += cases.length
      for (const [until, now, expected] of cases) {
        const found = instantOfTarget(until, { zone, now: new Date(now), date: null })!
        if (found.getTime() === expected) continue
        const [at, is, not] = [now, expected, found].map((each) => new Date(each).toISOString())
        wrong.push(`${zone} ${JSON.stringify(until)} at ${at}: ${is}, and not ${not}`)
      }
    }
    assert.deepEqual(wrong, [])
    assert.ok(counts.zones > 500 && counts.different < 10, JSON.stringify(counts))
    assert.ok(counts.zonesWithChanges > 200 && counts.cases > 10_000, JSON.stringify(counts))
  })
})
