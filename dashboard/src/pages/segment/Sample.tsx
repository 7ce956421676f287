import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { Section } from '../../layout/Page.tsx'
import { count } from '../../lib/format.ts'
import { contactName, firstNameOf } from '../../lib/first-name.ts'
import { subscriptionOf } from '../contacts/subscription.ts'
import classes from './segment.module.css'

const SAMPLE_SIZE = 6

/** The newest contacts of a segment, as it is saved. */
export function Sample({ segment: { id } }: { segment: Schemas['Segment'] }) {
  const { workspace } = useWorkspace()
  const params = { workspaceId: workspace.id }
  const { data, error } = useWorkspaceQuery(['segments', id, 'sample'], async (api, signal) => {
    const query = { limit: SAMPLE_SIZE }
    return (await api.GET('/segments/{id}/contacts', { params: { path: { id }, query }, signal })).data
  })
  return (
    <Section
      title="Sample"
      {...(data && { meta: `${data.data.length} of ${count(data.pagination.total)}` })}
      action={
        <Link className="link" to="/w/$workspaceId/contacts" params={params} search={{ segmentId: id }}>
          View all
        </Link>
      }
    >
      {error && <ErrorBanner error={error} />}
      {data?.data.length === 0 && <p className="t2">No contact matches.</p>}
      <ul>
        {data?.data.map((contact) => (
          <li key={contact.id} className={classes.person}>
            <span className={classes.avatar} aria-hidden>
              {contactName(contact)[0]?.toUpperCase()}
            </span>
            <span className={classes.who}>
              <Link
                className="strong cut"
                to="/w/$workspaceId/contacts/$contactId"
                params={{ ...params, contactId: contact.id }}
              >
                <bdi>{contactName(contact)}</bdi>
              </Link>
              {firstNameOf(contact) !== undefined && (
                <span className="small t2 cut">
                  <bdi>{contact.email}</bdi>
                </span>
              )}
            </span>
            <StatusBadge status={subscriptionOf(contact)} plain />
          </li>
        ))}
      </ul>
    </Section>
  )
}
