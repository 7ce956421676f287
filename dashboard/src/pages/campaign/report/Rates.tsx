import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSender } from '../../../api/queries.ts'
import type { Schemas } from '../../../api/client.ts'
import { count, percentOf, plural } from '../../../lib/format.ts'
import { Metrics } from '../../../primitives/Metrics.tsx'
import type { RecipientGroup } from './recipient-groups.ts'

type Report = Schemas['CampaignReport']

/** Links a figure to the recipients that it counts. */
const ToRecipients = ({ group, children }: { group: RecipientGroup; children: ReactNode }) => (
  <Link
    className="link"
    from="/w/$workspaceId/campaigns/$campaignId"
    to="."
    search={{ recipients: group }}
    hash="recipients"
    replace
  >
    {children}
  </Link>
)

/** A rate of recipients, unless its facts are not tracked. Those from before the tracking was turned off stay. */
const rateOf = (
  label: string,
  group: RecipientGroup,
  [value, total]: [number, number],
  base: string,
  isTracked = true,
) =>
  value === 0 && !isTracked
    ? { label, value: '–', base: 'Not tracked' }
    : {
        label,
        value: percentOf(value, total) || '–',
        base: value > 0 ? <ToRecipients group={group}>{base}</ToRecipients> : base,
      }

/** The rates of what was delivered. Opens by machines do not count. */
export function Rates({ results }: { results: Report['results'] }) {
  const { data: sender } = useSender()
  const { delivered, opened, machineOpened, clicked, unsubscribed, complained, bounced, softBounced, blocked } = results
  return (
    <div>
      <Metrics
        label="Rates"
        metrics={[
          rateOf('Open rate', 'opened', [opened, delivered], `${count(opened)} opened`, sender?.trackOpens),
          rateOf('Click rate', 'clicked', [clicked, delivered], `${count(clicked)} clicked`, sender?.trackClicks),
          { label: 'Click-to-open', value: percentOf(clicked, opened) || '–', base: `of ${count(opened)} opened` },
          rateOf('Unsubscribed', 'unsubscribed', [unsubscribed, delivered], plural(unsubscribed, 'contact')),
          rateOf('Complaints', 'complained', [complained, delivered], plural(complained, 'report')),
          {
            ...rateOf(
              'Bounced',
              'bounced',
              [bounced, delivered + bounced],
              `${count(bounced)} hard, ${count(softBounced)} soft, ${count(blocked)} blocked`,
            ),
            title: 'Hard bounces of the emails that were delivered or bounced.',
          },
        ]}
      />
      {machineOpened > 0 && (
        <p className="small t2" style={{ marginTop: 8 }}>
          <ToRecipients group="machine-opened">{plural(machineOpened, 'machine open')}</ToRecipients> (
          {percentOf(machineOpened, delivered)}) are not in the open rate: a mail client or scanner loaded the images
          before anyone read the email.
        </p>
      )}
    </div>
  )
}
