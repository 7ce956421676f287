import type { Schemas } from '../api/client.ts'
import { count, percentOf } from '../lib/format.ts'

/**
 * The results of emails, as shares of the emails sent. Hard bounces are a share of those sent or rejected. Omits numbers that are
 * zero, except the first.
 */
export function MessageResults({ results }: { results: Schemas['MessageResults'] }) {
  const { delivered, opened, machineOpened, clicked, unsubscribed, bounced, softBounced, blocked, complained } = results
  const terms = [
    { label: 'Delivered', value: delivered },
    { label: 'Opened', value: opened },
    { label: 'Opened by machines', value: machineOpened },
    { label: 'Clicked', value: clicked },
    { label: 'Unsubscribed', value: unsubscribed },
    { label: 'Bounced (hard)', value: bounced, total: delivered + bounced },
    { label: 'Bounced (soft)', value: softBounced },
    { label: 'Blocked', value: blocked },
    { label: 'Spam complaints', value: complained },
  ]
  return (
    <dl className="facts">
      {terms
        .filter(({ value }, n) => value > 0 || n === 0)
        .map(({ label, value, total = results.sent }, n) => (
          <div key={label} style={{ display: 'contents' }}>
            <dt>{label}</dt>
            <dd>
              <span className="strong">{count(value)}</span>{' '}
              <span className="t3">
                {percentOf(value, total)}
                {n === 0 && results.sent > 0 && ` of ${count(results.sent)} sent`}
              </span>
            </dd>
          </div>
        ))}
    </dl>
  )
}
