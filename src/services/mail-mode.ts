import { readMailMode, writeMailMode, type MailMode } from '../db/queries/installation.ts'
import type { EntityManager } from '../db/orm.ts'

/**
 * Agrees with the other parts of the installation on how live mail leaves it. Whoever sets SMTP_URL says for all that it is
 * delivered; a part that would capture it then is not started, because what one part captures, no other ever delivers.
 *
 * @throws {Error} that says what to set
 */
export async function agreeOnMail(
  em: EntityManager,
  { smtp, capture }: { smtp: boolean; capture: boolean },
): Promise<MailMode> {
  const unit = em.fork()
  const wanted = smtp && !capture ? 'smtp' : 'capture'
  const said = await readMailMode(unit)
  if (said === 'smtp' && wanted === 'capture' && !capture) {
    throw new Error(
      'This installation delivers its mail over SMTP, and SMTP_URL is not set here: what this process sent would be ' +
        'captured and never delivered. Set SMTP_URL, or MAIL_CAPTURE=true to deliver no mail from now on.',
    )
  }
  if (said !== wanted) await writeMailMode(unit, wanted)
  return wanted
}
