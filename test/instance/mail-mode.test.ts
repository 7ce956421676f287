import assert from 'node:assert/strict'
import type { Orm } from '../../src/platform/db/orm.ts'
import { readMailMode } from '../../src/instance/queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { agreeOnMail } from '../../src/instance/mail-mode.ts'
import { watchSendingGate } from '../../src/instance/watch-sending-gate.ts'
import { createDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { quietLog } from '../support/log.ts'

const ROUNDS = 30

describe('the mail mode of an instance', () => {
  let orm: Orm
  before(async () => {
    orm = (await createDatabase()).orm
  })
  after(() => orm.close(true))
  beforeEach(() => sql(orm.em.fork(), 'delete from instance'))

  const WITH = { smtp: true, capture: false }
  const WITHOUT = { smtp: false, capture: false }
  const stored = () => readMailMode(orm.em.fork())

  it('is SMTP when any process has SMTP_URL, even if all start concurrently', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await sql(orm.em.fork(), 'delete from instance')
      const [delivers] = await Promise.allSettled([WITH, WITHOUT].map((part) => agreeOnMail(orm.em, part)))
      assert.equal(delivers?.status, 'fulfilled')
      assert.equal(await stored(), 'smtp')
    }
  })

  it('is not changed by a process without SMTP_URL, unless MAIL_CAPTURE is set', async () => {
    await agreeOnMail(orm.em, WITHOUT)
    await agreeOnMail(orm.em, WITHOUT)
    assert.equal(await stored(), 'capture')
    await agreeOnMail(orm.em, WITH)
    await assert.rejects(agreeOnMail(orm.em, WITHOUT), /Set SMTP_URL, or MAIL_CAPTURE=true/)
    assert.equal(await stored(), 'smtp')
    await agreeOnMail(orm.em, { smtp: true, capture: true })
    assert.equal(await stored(), 'capture')
  })

  it('is read again by a running process without SMTP_URL', async () => {
    await agreeOnMail(orm.em, WITHOUT)
    const [without, delivers] = await Promise.all(
      [false, true].map((smtp) => watchSendingGate(orm.em, { smtp, delivers: smtp, log: quietLog, intervalMs: 20 })),
    )
    try {
      await agreeOnMail(orm.em, WITH)
      assert.match(
        await eventually('it notices', () => without?.problem()),
        /SMTP_URL is not set, so this process cannot deliver/,
      )
      assert.equal(delivers?.problem(), undefined)
    } finally {
      without?.stop()
      delivers?.stop()
    }
  })
})
