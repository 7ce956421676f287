import { IconMailOff } from '@tabler/icons-react'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { errorMessage } from '../../api/client.ts'
import { type Condition, isIncomplete, type Loose } from '../../components/conditions/condition.ts'
import { useDebouncedCondition } from '../../components/conditions/ConditionCount.tsx'
import { StackedBar, StatusTerm } from '../../components/MessageBreakdown.tsx'
import type { StatusStyle } from '../../components/StatusBadge.tsx'
import { Section } from '../../layout/Page.tsx'
import { count, percentOf, plural } from '../../lib/format.ts'
import { subscriptionOf } from '../contacts/subscription.ts'
import classes from './segment.module.css'

const SUPPRESSED: StatusStyle = { label: 'Suppressed', icon: IconMailOff, tone: 'bad' }

/** Counts the contacts who match a condition, by whether they get marketing. Old figures are grey while others load. */
export function Matching({ condition }: { condition: Loose }) {
  const asked = useDebouncedCondition(isIncomplete(condition) ? undefined : condition)
  const { data, error, isPlaceholderData } = useWorkspaceQuery(
    ['segments', 'subscription', asked],
    async (api, signal) => {
      const body = { condition: asked as Condition, withSubscription: true }
      return (await api.POST('/segments/count', { body, signal })).data.data
    },
    { enabled: asked !== undefined, keepPrevious: true },
  )
  const { data: all } = useWorkspaceQuery(['contacts', 'total'], async (api, signal) => {
    const params = { query: { limit: 1 } }
    return (await api.GET('/contacts', { params, signal })).data.pagination.total
  })
  const { contactCount = 0, subscription } = data ?? {}
  const terms = subscription && [
    { status: subscriptionOf({ suppressedBy: null }), value: subscription.subscribed },
    // Only double opt-in lists have pending contacts.
    ...(subscription.pending > 0
      ? [{ status: subscriptionOf({ suppressedBy: 'UNCONFIRMED' }), value: subscription.pending }]
      : []),
    { status: subscriptionOf({ suppressedBy: 'UNSUBSCRIBED' }), value: subscription.unsubscribed },
    { status: SUPPRESSED, value: subscription.suppressed },
  ]
  return (
    <Section title="Matching now">
      {error && (
        <p className="small" role="alert" style={{ color: 'var(--bad)' }}>
          {errorMessage(error)}
        </p>
      )}
      <div className={isPlaceholderData || condition !== asked ? classes.isOld : undefined}>
        <p className={classes.figure} role="status">
          <strong>{data ? count(contactCount) : '…'}</strong>
          {data && all !== undefined && (
            <span className="t2">
              of {plural(all, 'contact')}
              {all > 0 && `, ${percentOf(contactCount, all)}`}
            </span>
          )}
        </p>
        {terms && (
          <>
            <StackedBar terms={terms.map(({ status, value }) => ({ meaning: status.tone, value }))} />
            <dl className={classes.terms}>
              {terms.map(({ status, value }) => (
                <div key={status.label}>
                  <StatusTerm status={status} value={value} />
                </div>
              ))}
            </dl>
          </>
        )}
      </div>
    </Section>
  )
}
