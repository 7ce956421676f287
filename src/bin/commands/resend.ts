import { createLinks } from '../../signed-links/index.ts'
import { findPublicUrl, readBounceDomain, readLinkSecret, readMailSender } from '../../instance/index.ts'
import { resendMessage, type ResendResult } from '../../messages/index.ts'
import { noMetrics } from '../../outbox/index.ts'
import { createMail } from '../../runtime/mail.ts'
import { readConfig } from '../../platform/config.ts'
import { openLog } from '../../platform/log.ts'
import { withDatabase } from './with-database.ts'

/** Sends a message again, with the mail settings of the instance or of the environment. */
export const resend = (id: string): Promise<ResendResult> =>
  withDatabase(async ({ em }) => {
    const config = readConfig(process.env)
    const mailFrom = config.MAIL_FROM ?? (await readMailSender(em.fork()))
    const publicUrl = await findPublicUrl(em.fork(), config)
    const bounceDomain = config.BOUNCE_DOMAIN ?? (await readBounceDomain(em.fork()))
    const links = createLinks(await readLinkSecret(em), publicUrl, bounceDomain)
    const mail = createMail(config, em, { mailFrom, links })
    try {
      return await resendMessage({ ...mail, em, metrics: noMetrics, log: openLog(config.LOG_LEVEL) }, id)
    } finally {
      await mail.smtp?.close()
      await mail.renderer.close()
    }
  })
