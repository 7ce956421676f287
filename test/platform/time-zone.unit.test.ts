import assert from 'node:assert/strict'
import { Temporal } from 'temporal-polyfill'
import { type DateTrigger, occurrenceIn } from '../../src/automations/occurrences.ts'
import { dateIn } from '../../src/platform/time-zone.ts'

describe('a date in a field', () => {
  for (const [value, zone, expected] of [
    ['2026-12-24', 'America/New_York', '2026-12-24T05:00:00.000Z'],
    ['2026-12-24', 'Asia/Tokyo', '2026-12-23T15:00:00.000Z'],
    ['2026-12-24T09:00', 'Asia/Tokyo', '2026-12-24T00:00:00.000Z'],
    ['2026-12-24T09:00:00+01:00', 'Asia/Tokyo', '2026-12-24T08:00:00.000Z'],
    // Midnight is skipped, or occurs twice.
    ['2024-09-08', 'America/Santiago', '2024-09-08T04:00:00.000Z'],
    ['2024-11-03', 'America/Havana', '2024-11-03T04:00:00.000Z'],
    ['2024-02-29', 'UTC', '2024-02-29T00:00:00.000Z'],
  ] as const)
    it(`is ${expected} for ${value} in ${zone}`, () => assert.equal(dateIn(value, zone)?.toISOString(), expected))

  for (const value of ['soon', '', '2027-02-29', '2026-12-24T25:00', '0000-01-01T00:00:00Z', 20261224, null, undefined])
    it(`does not exist for ${JSON.stringify(value)}`, () => assert.equal(dateIn(value, 'UTC'), null))

  it('has its anniversary on the same day, west of Greenwich too', () => {
    const trigger: DateTrigger = {
      field: 'contact.metadata.birthday',
      isYearly: true,
      offsetDays: 0,
      time: Temporal.PlainTime.from('09:00'),
      zone: 'contact',
    }
    const contact = { value: '1990-05-04', metadata: { timezone: 'America/New_York' }, workspaceZone: 'UTC' }
    const on = (day: number) => ({
      from: new Date(Date.UTC(2030, 4, day)),
      to: new Date(Date.UTC(2030, 4, day + 1)),
    })
    assert.equal(occurrenceIn(trigger, contact, on(3)), undefined)
    assert.equal(occurrenceIn(trigger, contact, on(4)), '2030-05-04')
  })
})
