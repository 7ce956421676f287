import assert from 'node:assert/strict'
import type { Client } from '@temporalio/client'
import { createReadiness } from '../../src/runtime/readiness.ts'
import { eventually } from '../support/eventually.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('readiness', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  it('is checked once for all concurrent requests, and again later', async () => {
    const { orm, temporal } = service.context
    let checks = 0
    const counted = Object.create(temporal, {
      withDeadline: {
        value: (deadline: number, run: () => Promise<unknown>) => {
          checks += 1
          return temporal.withDeadline(deadline, run)
        },
      },
    }) as Client
    const ask = createReadiness({ orm, temporal: counted }, 20)
    const answers = await Promise.all(Array.from({ length: 500 }, ask))
    assert.deepEqual(new Set(answers.flat()), new Set())
    assert.equal(checks, 1)
    await eventually('another look', async () => {
      await ask()
      return checks === 2 || undefined
    })
  })
})
