import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Time } from '../../components/Time.tsx'
import { Section } from '../../layout/Page.tsx'
import { type Reason } from '../suppressions/reasons.ts'
import classes from './contact.module.css'

type Change = Schemas['ConsentChange']

const REASON_TEXTS: Record<Reason, string> = {
  UNSUBSCRIBED: 'Unsubscribed from all marketing',
  IMPORTED: 'Imported as unsubscribed from all marketing',
  BOUNCED: 'All email stopped: hard bounce',
  COMPLAINED: 'All email stopped: reported as spam',
  MANUAL: 'All email stopped',
}

const BY: Record<NonNullable<Change['by']>, string> = {
  CONTACT: 'By the contact',
  MEMBER: 'By a member',
  API_KEY: 'By an API key',
  OPERATOR: 'By an operator',
  IMPORT: 'By an import',
}

function textOf({ change, reason, listName }: Change): string {
  const list = listName ?? 'a deleted list'
  if (change === 'JOINED_LIST') return `Joined ${list}`
  if (change === 'LEFT_LIST') return `Unsubscribed from ${list}`
  if (change === 'ASKED_TO_CONFIRM') return `Asked to confirm ${list}`
  if (change === 'UNSUBSCRIBED') return 'Used the unsubscribe link'
  return REASON_TEXTS[reason ?? 'MANUAL']
}

/** Lists what is stored about the consent of a contact, newest first. */
export function ConsentHistory({ contact: { id, suppressedBy, listIds } }: { contact: Schemas['Contact'] }) {
  const { data, error } = useWorkspaceQuery(
    ['contacts', id, 'consent', suppressedBy, listIds],
    async (api, signal) => (await api.GET('/contacts/{id}/consent', { params: { path: { id } }, signal })).data.data,
    { keepPrevious: true },
  )
  return (
    <Section title="Consent history" meta={data?.length}>
      {error && <ErrorBanner error={error} />}
      {!data && !error && <SkeletonRows rows={3} />}
      {data?.length === 0 && <p className="t2">No changes yet.</p>}
      <ol aria-label="Consent history">
        {data?.map((change, at) => (
          <li key={at} className={classes.change}>
            <span className="t2">
              <Time at={change.at} as="date" />
            </span>
            <div className={classes.note}>
              <p className="strong">{textOf(change)}</p>
              <Source of={change} />
            </div>
          </li>
        ))}
      </ol>
      <p className="small t3">
        Suppressions that were removed, and lists that the contact was removed from, are not listed.
      </p>
    </Section>
  )
}

/** Names who made a change, and the email that led to it. */
function Source({ of: { by, note, messageId, subject } }: { of: Change }) {
  const { workspace } = useWorkspace()
  if (by === null && note === null) return null
  return (
    <p className="small t2">
      {by !== null && BY[by]}
      {messageId !== null && (
        <>
          , link in{' '}
          <Link
            className="link"
            to="/w/$workspaceId/messages/$messageId"
            params={{ workspaceId: workspace.id, messageId }}
          >
            {subject ?? 'an email'}
          </Link>
        </>
      )}
      {note !== null && `${by === null ? '' : ' · '}${note}`}
    </p>
  )
}
