import { ToContact } from '../../components/ToContact.tsx'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { timeOf } from '../../lib/format.ts'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { MESSAGE_STATUS } from '../../components/StatusBadge.tsx'
import { Section } from '../../layout/Page.tsx'
import classes from './HomePage.module.css'

export function LatestMessages() {
  const { data, isError } = useWorkspaceQuery(
    ['messages', 'last'],
    async (api, signal) => (await api.GET('/messages', { params: { query: { limit: 13 } }, signal })).data.data,
    { refetchMs: 3_000 },
  )
  return (
    <Section title="Latest messages" meta={data && !isError ? <span className={classes.live}>Live</span> : undefined}>
      {!data && <SkeletonRows rows={8} height={25} />}
      {data?.length === 0 && <p className="t2">No messages yet.</p>}
      <ul>
        {data?.map((message) => {
          const { icon: Icon, tone, label } = MESSAGE_STATUS[message.status]
          return (
            <li key={message.id}>
              <ToContact className={`${classes.line} c-${tone}`} contactId={message.contactId}>
                <span className="mono t3">{timeOf(new Date(message.createdAt))}</span>
                <Icon size={14} stroke={2} aria-label={label} role="img" />
                <span className="cut">{message.subject ?? <span className="t3">No subject</span>}</span>
                <span className="cut t3">{message.to}</span>
              </ToContact>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
