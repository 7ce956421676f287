import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { sendPage } from '../../src/campaigns/campaign-sending.ts'
import { createLeaseKeeper } from '../../src/messages/index.ts'
import { createSecrets } from '../../src/platform/secrets.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { createRenderer } from '../../src/rendering/index.ts'
import { createMessageStore } from '../../src/runtime/mail.ts'
import { createSmtpTransport, readSmtpUrl } from '../../src/smtp/index.ts'
import { aQueuedCampaign, prepareRecipients } from '../support/campaign-claims.ts'
import { aContact } from '../support/factories.ts'
import { someLinks } from '../support/links.ts'
import { quietLog } from '../support/log.ts'
import { REAL_PAGE_SIZES, withPageSizes } from '../support/page-sizes.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

/** Longer than the time from a claim until the message must begin. */
const SLOW_MS = 3_300

describe('a campaign to a fast mail server', () => {
  withPageSizes(REAL_PAGE_SIZES)
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })
  const em = () => service.context.orm.em.fork()

  it('is still sent when the server becomes slow, although its messages were claimed ahead', async () => {
    let slowMs = 0
    const taken: string[] = []
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onRcptTo: (_address, _session, done) => void setTimeout(done, slowMs),
      onData: (stream, { envelope }, done) => {
        stream.resume().on('end', () => {
          taken.push(envelope.rcptTo[0]!.address)
          done()
        })
      },
    })
    // A sender whose claim is too old resets the connection.
    server.on('error', () => undefined)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.server.address() as AddressInfo
    const smtp = createSmtpTransport({ server: readSmtpUrl(`smtp://127.0.0.1:${port}`), maxConnections: 4 })
    const renderer = createRenderer()
    const { em: root } = service.context.orm
    const dependencies = {
      ...service.context.dependencies,
      ...{ smtp, renderer, leases: createLeaseKeeper(root), store: createMessageStore(root), log: quietLog },
      ...{ secrets: createSecrets('k'.repeat(44)), requiresProof: false, links: someLinks },
      ...{ mailFrom: 'news@example.com', connections: 4 },
    }

    const id = await aQueuedCampaign(service, await Promise.all(Array.from({ length: 12 }, () => aContact(service))))
    /** Sends a page as a turn of the campaign does. */
    const send = async (count: number) => {
      const makeDue = `update messages set due_at = now() where campaign_id = $1::uuid and status in ('QUEUED', 'DEFERRED')`
      await sql(em(), makeDue, [id])
      const due = [...(await prepareRecipients(service, id)).values()].slice(0, count)
      const page = due.map((message) => ({ ...message, mail: 'smtp' as const, workspaceMode: 'live' as const }))
      const limits = { turn: new AbortController().signal, until: performance.now() + 10_000, mayBeLost: false }
      await sendPage(dependencies, page, limits)
    }
    try {
      await send(8)
      assert.equal(taken.length, 8)
      slowMs = SLOW_MS
      await send(4)
      assert.equal(taken.length, 8, 'the claims were too old when the server waited for the content')
      await send(4)
      assert.equal(new Set(taken).size, 12)
      assert.equal(taken.length, 12)
    } finally {
      await smtp.close()
      await renderer.close()
      await new Promise<void>((resolve) => server.close(resolve))
    }
  })
})
