import { Button, Progress } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useHasRole, useInvalidate, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { ConfirmDelete } from '../../components/ConfirmDelete.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { ToList } from '../../layout/ToList.tsx'
import { Page, Section } from '../../layout/Page.tsx'
import { count, plural } from '../../lib/format.ts'
import { ImportDraft } from './ImportDraft.tsx'
import { ImportErrors } from './ImportErrors.tsx'
import { type Import, IMPORT_STATUS } from './imports.ts'

/** Milliseconds between two reads while an import runs. */
const REFETCH_MS = 1_000

/** An import: the mapping of a draft, the progress, or the result. */
export function ImportPage() {
  const { importId } = useParams({ from: '/w/$workspaceId/imports/$importId' })
  const canEdit = useHasRole('editor')
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const navigate = useNavigate()
  const [isDeleting, { open, close }] = useDisclosure()
  const { data, error, refetch } = useWorkspaceQuery(
    ['imports', importId],
    async (read, signal) => (await read.GET('/imports/{id}', { params: { path: { id: importId } }, signal })).data.data,
    { refetchMs: REFETCH_MS },
  )
  return (
    <Page
      parent={<ToList list="imports">Imports</ToList>}
      title={data?.name ?? 'Import'}
      narrow
      meta={data && <StatusBadge status={IMPORT_STATUS[data.status]} plain />}
      actions={data && canEdit && <ImportActions of={data} onDelete={open} />}
    >
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {isDeleting && (
        <ConfirmDelete
          object="import"
          path={`/imports/${importId}`}
          description="The file and its failed rows are deleted. Imported contacts stay."
          action={async () => {
            await api.DELETE('/imports/{id}', { params: { path: { id: importId } } })
            await navigate({ to: '/w/$workspaceId/imports', params: { workspaceId: workspace.id } })
            void invalidate('imports')
          }}
          onDone={close}
        />
      )}
      {!data && !error && <SkeletonRows rows={6} />}
      {data?.status === 'UPLOADING' && (
        <p className="t2">
          The file is not uploaded completely. Resume the upload under{' '}
          <Link className="link" to="/w/$workspaceId/imports" params={{ workspaceId: workspace.id }}>
            Imports
          </Link>
          .
        </p>
      )}
      {data?.status === 'DRAFT' && (canEdit ? <ImportDraft of={data} /> : <p className="t2">Not started.</p>)}
      {data && data.status !== 'UPLOADING' && data.status !== 'DRAFT' && <ImportResult of={data} />}
    </Page>
  )
}

function ImportActions({ of: { id, status }, onDelete }: { of: Import; onDelete: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const params = { path: { id } }
  const run = useMutation({
    mutationFn: (task: () => Promise<unknown>) => task(),
    onSettled: () => void invalidate('imports'),
  })
  return (
    <>
      {run.isError && <ErrorBanner error={run.error} />}
      {status === 'RUNNING' && (
        <Button loading={run.isPending} onClick={() => run.mutate(() => api.POST('/imports/{id}/stop', { params }))}>
          Stop import
        </Button>
      )}
      {status === 'STOPPED' && (
        <Button
          variant="filled"
          loading={run.isPending}
          onClick={() => run.mutate(() => api.POST('/imports/{id}/start', { params }))}
        >
          Continue import
        </Button>
      )}
      {status !== 'RUNNING' && (
        <Button variant="subtle" color="gray" onClick={onDelete}>
          Delete import…
        </Button>
      )}
    </>
  )
}

function ImportResult({ of }: { of: Import }) {
  const { status, imported, size, created, updated, suppressed, failed, problem, lines } = of
  return (
    <>
      <div className="card" role="status">
        <p>
          {status === 'RUNNING' ? 'Importing contacts. You can close this page.' : null}
          {status === 'STOPPED' ? 'Stopped. The contacts imported so far stay.' : null}
          {status === 'DONE' ? 'All rows were read.' : null}
          {status === 'FAILED' ? `${problem}. Rows before that line were imported.` : null}
        </p>
        {size !== null && size > 0 && (
          <Progress value={Math.min(100, (imported / size) * 100)} aria-label="Progress" style={{ margin: '8px 0' }} />
        )}
        <dl className="facts">
          <dt>Lines of the file</dt>
          <dd>{count(lines)}</dd>
          <dt>Created</dt>
          <dd>{count(created)}</dd>
          <dt>Updated</dt>
          <dd>{count(updated)}</dd>
          <dt>Suppressed</dt>
          <dd>{count(suppressed)}</dd>
          <dt>Failed</dt>
          <dd>{count(failed)}</dd>
        </dl>
      </div>
      {failed > 0 && (
        <Section title={plural(failed, 'failed row')}>
          <ImportErrors of={of} />
        </Section>
      )}
    </>
  )
}
