import { Button, FileButton, Progress } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconFileImport, IconUpload } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { DisplayableError } from '../../api/client.ts'
import { readPages } from '../../api/queries.ts'
import { useHasRole, useWorkspaceQuery, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { count } from '../../lib/format.ts'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { Page } from '../../layout/Page.tsx'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { timeColumn } from '../../primitives/time-column.tsx'
import { EmptyPage } from '../../primitives/EmptyPage.tsx'
import { uploadImport } from './upload.ts'
import { type Import, IMPORT_STATUS } from './imports.ts'
import { encodingOf } from './inspect-file.ts'

/** Milliseconds between two reads while an import runs. */
const REFETCH_MS = 2_000
const ACCEPT = '.csv,.tsv,.txt,text/csv'

/** Identifies a file by name and size. */
const nameOf = ({ name, size }: Import) => (size === null ? name : `${name}, ${count(size)} bytes`)

/** Lists imports, and uploads files. */
export function ImportsPage() {
  const { api, workspace } = useWorkspace()
  const canEdit = useHasRole('editor')
  const invalidate = useInvalidate()
  const navigate = useNavigate()
  const choosing = useRef<() => void>(undefined)
  const [uploading, setUploading] = useState<Import>()
  const [failure, setFailure] = useState<unknown>()
  const leaving = useRef<AbortController>(undefined)
  useHotkeys([['n', () => canEdit && choosing.current?.()]])
  // Leaving the page stops the upload. It can be resumed with the same file.
  useEffect(() => () => leaving.current?.abort(), [])
  const { data, error, refetch } = useWorkspaceQuery(
    ['imports', 'page'],
    (read, signal) => readPages((query) => read.GET('/imports', { params: { query }, signal })),
    { refetchMs: REFETCH_MS },
  )
  const upload = async (file: File, existing?: Import) => {
    setFailure(undefined)
    const abort = new AbortController()
    leaving.current = abort
    try {
      const encoding = await encodingOf(file)
      // The size in UTF-8 is unknown for other encodings.
      const body = { name: file.name, size: encoding === 'utf-8' ? file.size : null }
      const begun = existing ?? (await api.POST('/imports', { body })).data.data
      setUploading(begun)
      const { id } = await uploadImport(api, file, encoding, begun, { tell: setUploading, signal: abort.signal })
      setUploading(undefined)
      void invalidate('imports')
      if (!abort.signal.aborted)
        void navigate({
          to: '/w/$workspaceId/imports/$importId',
          params: { workspaceId: workspace.id, importId: id },
          ignoreBlocker: true,
        })
    } catch (problem) {
      setUploading(undefined)
      void invalidate('imports')
      if (!abort.signal.aborted) setFailure(problem)
    }
  }
  const resume = async (found: Import, file: File | null) => {
    if (!file) return
    // Compared by size if it is known: downloads often change the name.
    const isOther = found.size === null ? file.name !== found.name : found.size !== file.size
    if (isOther) setFailure(new DisplayableError(`This is a different file. Choose ${nameOf(found)} to resume.`))
    else await upload(file, found)
  }
  const resumeButton = (found: Import) =>
    canEdit &&
    found.status === 'UPLOADING' &&
    !uploading && (
      <FileButton onChange={(file) => void resume(found, file)} accept={ACCEPT}>
        {(props) => (
          <Button variant="subtle" color="gray" h="auto" styles={{ label: { whiteSpace: 'normal' } }} {...props}>
            Resume upload…
          </Button>
        )}
      </FileButton>
    )
  const columns: readonly Column<Import>[] = [
    { id: 'file', head: 'File', phone: 'title', cell: ({ name }) => <span className="strong">{name}</span> },
    {
      id: 'status',
      head: 'Status',
      phone: 'state',
      cell: (found) => (
        <>
          <StatusBadge status={IMPORT_STATUS[found.status]} plain />
          {resumeButton(found)}
        </>
      ),
    },
    {
      id: 'created',
      head: 'Created',
      isNumber: true,
      phone: 'about',
      cell: ({ created }) => (
        <>
          {count(created)}
          <span className="phone"> created</span>
        </>
      ),
    },
    { id: 'updated', head: 'Updated', isNumber: true, cell: ({ updated }) => count(updated) },
    { id: 'suppressed', head: 'Suppressed', isNumber: true, cell: ({ suppressed }) => count(suppressed) },
    {
      id: 'failed',
      head: 'Failed',
      isNumber: true,
      phone: 'number',
      cell: ({ failed }) => (
        <>
          {count(failed)}
          <span className="phone"> failed</span>
        </>
      ),
    },
    timeColumn({ head: 'Started', at: ({ createdAt }) => createdAt }),
  ]
  return (
    <Page
      title="Imports"
      narrow
      actions={
        canEdit && (
          <FileButton onChange={(file) => file && void upload(file)} accept={ACCEPT}>
            {({ onClick }) => {
              choosing.current = onClick
              return (
                <Button
                  variant="filled"
                  leftSection={<IconUpload aria-hidden />}
                  disabled={uploading !== undefined}
                  onClick={onClick}
                >
                  Import file
                </Button>
              )
            }}
          </FileButton>
        )
      }
    >
      {failure !== undefined && <ErrorBanner error={failure} scrollsIntoView />}
      {uploading && (
        <>
          <UnsavedChangesGuard
            isDirty
            isSending
            asks={{
              title: 'Upload in progress',
              leave: 'Stop upload',
              message: 'Leaving stops the upload. You can resume it later with the same file.',
            }}
          />
          <div className="card" role="status">
            <p>
              Uploading <strong>{uploading.name}</strong>: {count(uploading.position)} bytes. Keep this page open.
            </p>
            {uploading.size !== null && uploading.size > 0 && (
              <Progress
                value={Math.min(100, (uploading.position / uploading.size) * 100)}
                aria-label={`Upload of ${uploading.name}`}
              />
            )}
          </div>
        </>
      )}
      <DataTable<Import>
        label="Imports"
        rows={data}
        error={error}
        onRetry={() => void refetch()}
        idOf={({ id }) => id}
        columns={columns}
        link={({ id }, title) => (
          <Link to="/w/$workspaceId/imports/$importId" params={{ workspaceId: workspace.id, importId: id }}>
            {title}
          </Link>
        )}
        empty={
          !uploading && (
            <EmptyPage icon={IconFileImport} title="No imports yet">
              Import contacts from a CSV file. You map its columns and state the consent before the first row is
              imported. For large files, you can also use the command line: <span className="mono">cli import</span>.
            </EmptyPage>
          )
        }
      />
    </Page>
  )
}
