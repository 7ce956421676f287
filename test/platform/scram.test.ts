import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { requiringScram } from '../../src/platform/db/scram.ts'
import { ping } from '../../src/platform/db/sql.ts'
import { openDatabase } from '../../src/schema/index.ts'
import { services } from '../support/servers.ts'

const PASSWORD = 'a-password-that-is-told-to-nobody'
/** Messages of the server (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
const authentication = (kind: number, ...rest: number[]) =>
  Buffer.from([0x52, 0, 0, 0, 8 + rest.length, 0, 0, 0, kind, ...rest])
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])
const FORGED_END = authentication(12, ...Buffer.from('v=Zm9yZ2Vk'))

describe('whoever listens where Postgres is to be', () => {
  for (const [what, says] of [
    ['asks for the password', authentication(3)],
    ['asks for its MD5', authentication(5, 1, 2, 3, 4)],
    ['lets everybody in', Buffer.concat([authentication(0), READY])],
    ['lets in behind an end without a beginning', Buffer.concat([FORGED_END, authentication(0), READY])],
  ] as const) {
    it(`and ${what} is told nothing`, async () => {
      const heard: Buffer[] = []
      const server = createServer((socket) => {
        socket.on('error', () => undefined)
        socket.on('data', (data) => heard.push(data))
        socket.once('data', () => socket.write(says))
      })
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const { port } = server.address() as AddressInfo
      const orm = openDatabase({ url: requiringScram(`postgresql://dripline:${PASSWORD}@127.0.0.1:${port}/dripline`) })
      try {
        await assert.rejects(ping(orm.em.fork()))
        const text = Buffer.concat(heard).toString('latin1')
        assert.match(text, /user\0dripline/)
        assert.ok(!text.includes(PASSWORD) && !text.includes('md5') && !text.includes('select'), text)
      } finally {
        await orm.close(true)
        server.close()
      }
    })
  }

  it('is believed where it is ours', async () => {
    const { databaseUrl } = await services()
    assert.match(databaseUrl, /require_auth=scram-sha-256/)
    const orm = openDatabase({ url: databaseUrl })
    await ping(orm.em.fork())
    await orm.close(true)
  })
})
