import { Select } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCursorList } from '../../api/cursor-list.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { ContactLink } from '../../components/ContactLink.tsx'
import { LoadMoreButton } from '../../components/LoadMoreButton.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Time } from '../../components/Time.tsx'
import { Page } from '../../layout/Page.tsx'
import { BOUNCE_KINDS, describeBounce, describeSource, KINDS } from './bounce-kinds.ts'
import { ReceivingDomains } from './ReceivingDomains.tsx'

export function BouncesPage() {
  const { workspace } = useWorkspace()
  const { kind, contactId } = useSearch({ from: '/w/$workspaceId/bounces' })
  const navigate = useNavigate({ from: '/w/$workspaceId/bounces' })
  const { rows, error, refetch, nextPage } = useCursorList(['bounces', kind, contactId], async (api, page, signal) => {
    const query = { ...page, ...(kind && { kind }), ...(contactId && { contactId }) }
    return (await api.GET('/bounces', { params: { query }, signal })).data
  })
  return (
    <Page
      title="Bounces"
      actions={
        <Select
          aria-label="Type"
          w={230}
          value={kind ?? 'all'}
          allowDeselect={false}
          onChange={(value) => {
            const chosen = KINDS.find((each) => each === value)
            void navigate({
              search: { ...(contactId !== undefined && { contactId }), ...(chosen && { kind: chosen }) },
              replace: true,
            })
          }}
          data={[
            { value: 'all', label: 'All types' },
            ...KINDS.map((value) => ({ value, label: BOUNCE_KINDS[value] })),
          ]}
        />
      }
    >
      {contactId !== undefined && (
        <p className="small t2">
          Showing the bounces of one contact.{' '}
          <Link to="/w/$workspaceId/bounces" params={{ workspaceId: workspace.id }} search={kind ? { kind } : {}}>
            Show all
          </Link>
        </p>
      )}
      {contactId === undefined && kind === undefined && <ReceivingDomains />}
      {error && <ErrorBanner error={error} onRetry={refetch} />}
      {!rows && !error && <SkeletonRows rows={6} />}
      {rows?.length === 0 && (
        <p className="t2">
          No bounces{kind ? ' of this type' : ''} yet. Reports from mail servers and{' '}
          <Link to="/w/$workspaceId/sender" params={{ workspaceId: workspace.id }}>
            email providers
          </Link>{' '}
          appear here.
        </p>
      )}
      {rows && rows.length > 0 && (
        <table className="table stacked">
          <thead>
            <tr>
              <th>Contact</th>
              <th>Type</th>
              <th>Cause and effect</th>
              <th>Diagnostic</th>
              <th className="num">Time</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, contactId: whose, kind: what, category, status, diagnostic, source, createdAt }) => (
              <tr key={id}>
                <td className="strong" data-cell="title">
                  {whose === null ? <span className="t3">No contact</span> : <ContactLink contactId={whose} />}
                </td>
                <td data-cell="state">{BOUNCE_KINDS[what]}</td>
                <td className="t2" data-cell="about" style={{ whiteSpace: 'normal' }}>
                  {describeBounce({ kind: what, category })}
                </td>
                <td className="t2" data-cell="about" style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>
                  {/* The diagnostic already contains the status code. */}
                  {diagnostic ?? status ?? '–'} <span className="t3">{describeSource(source)}</span>
                </td>
                <td className="num t2" data-cell="number">
                  <Time at={createdAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <LoadMoreButton of={nextPage} />
    </Page>
  )
}
