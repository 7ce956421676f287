import assert from 'node:assert/strict'
import { agreeOnPublicUrl } from '../../src/instance/public-url.ts'
import { readPublicUrl } from '../../src/instance/queries.ts'
import type { Orm } from '../../src/platform/db/orm.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { createDatabase } from '../support/database.ts'

const [HTTP, HTTPS] = ['http://mail.example.com', 'https://mail.example.com']

describe('the public URL of an instance', () => {
  let orm: Orm
  let warnings: string[]
  before(async () => {
    orm = (await createDatabase()).orm
  })
  after(() => orm.close(true))
  beforeEach(async () => {
    warnings = []
    await sql(orm.em.fork(), 'update instance set public_url = null')
  })

  const agree = (publicUrl: string | undefined, { delivers = true, isLocal = false } = {}) => {
    const log = {
      debug: () => undefined,
      info: () => undefined,
      error: () => undefined,
      warn: (_: object, text: string) => warnings.push(text),
    }
    return agreeOnPublicUrl(orm.em, log, { publicUrl, delivers, toThisMachine: isLocal, isLocal, port: 3000 })
  }

  it('is taken from a process that configures one', async () => {
    assert.equal(await agree(HTTPS), HTTPS)
    assert.equal(await agree(undefined), HTTPS)
    assert.deepEqual(warnings, [])
  })

  it('must use https if mail leaves this machine, also if another process has set it', async () => {
    await assert.rejects(agree(HTTP), /does not use https.*Set PUBLIC_URL to an https URL/)
    assert.equal(await readPublicUrl(orm.em.fork()), null)
    await agree(HTTP, { delivers: false })
    await assert.rejects(agree(undefined), /does not use https/)
    assert.equal(await agree(HTTPS), HTTPS)
  })

  it('may use http for a mail server on this machine, with a warning', async () => {
    assert.equal(await agree(HTTP, { isLocal: true }), HTTP)
    assert.match(warnings[0]!, /PUBLIC_URL does not use https/)
  })
})
