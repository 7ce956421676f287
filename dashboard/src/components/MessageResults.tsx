import type { Schemas } from '../api/client.ts'
import { count, percentOf } from '../lib/format.ts'

/** The results of emails after they were sent, as parts of those. Numbers that are zero are left out, except the first. */
export function MessageResults({ results }: { results: Schemas['MessageResults'] }) {
  const { delivered, opened, machineOpened, clicked, unsubscribed, bounced, softBounced, blocked, complained } = results
  const terms = [
    { label: 'Delivered', value: delivered },
    { label: 'Opened', value: opened },
    { label: 'Opened by machines', value: machineOpened },
    { label: 'Clicked', value: clicked },
    { label: 'Unsubscribed', value: unsubscribed },
    { label: 'Bounced (hard)', value: bounced },
    { label: 'Bounced (soft)', value: softBounced },
    { label: 'Blocked', value: blocked },
    { label: 'Spam complaints', value: complained },
  ]
  return (
    <dl className="facts">
      {terms
        .filter(({ value }, n) => value > 0 || n === 0)
        .map(({ label, value }, n) => (
          <div key={label} style={{ display: 'contents' }}>
            <dt>{label}</dt>
            <dd>
              <span className="strong">{count(value)}</span>{' '}
              <span className="t3">
                {percentOf(value, results.sent)}
                {n === 0 && results.sent > 0 && ` of ${count(results.sent)} sent`}
              </span>
            </dd>
          </div>
        ))}
    </dl>
  )
}
