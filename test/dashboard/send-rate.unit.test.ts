import assert from 'node:assert/strict'
import { sendRate } from '../../dashboard/src/pages/campaign/report/send-rate.ts'

describe('the rate of a campaign', () => {
  const at = (time: string) => Date.parse(`2026-11-30T${time}Z`)
  const MINUTES = [
    { at: '2026-11-30T10:00:00Z', sent: 20 },
    { at: '2026-11-30T10:01:00Z', sent: 100 },
    { at: '2026-11-30T10:03:00Z', sent: 50 },
    { at: '2026-11-30T10:04:00Z', sent: 7 },
  ]
  for (const [what, now, expected] of [
    ['unknown in the minute in which it starts', '10:00:50', undefined],
    ['unknown in the first whole minute', '10:01:59', undefined],
    ['that of one whole minute', '10:02:10', 100],
    ['the mean of two, one of them without emails', '10:03:10', 50],
    ['that of whole minutes, while another runs', '10:04:30', 25],
  ] as const)
    it(`is ${what}`, () => assert.equal(sendRate(MINUTES, at('10:00:20'), at(now)), expected))
})
