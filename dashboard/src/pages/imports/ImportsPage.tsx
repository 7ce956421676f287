import { Button, FileButton, Progress } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { Fragment, useEffect, useRef, useState } from 'react'
import { DisplayableError } from '../../api/client.ts'
import { readPages } from '../../api/queries.ts'
import { useHasRole, useWorkspaceQuery, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { count, plural } from '../../lib/format.ts'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { Time } from '../../components/Time.tsx'
import { Page } from '../../layout/Page.tsx'
import { uploadImport } from './upload.ts'
import { type Import, IMPORT_STATUS } from './imports.ts'
import { ImportErrors } from './ImportErrors.tsx'
import { NewImportForm } from './NewImport.tsx'
import { inspectFile } from './inspect-file.ts'

/** Identifies a file by name and size. */
const nameOf = ({ name, size }: Import) => (size === null ? name : `${name}, ${count(size)} bytes`)

/** Lists imports, and uploads and resumes files. */
export function ImportsPage() {
  const { api } = useWorkspace()
  const canEdit = useHasRole('editor')
  const invalidate = useInvalidate()
  const [isChoosing, setChoosing] = useState(false)
  const [shown, setShown] = useState<string>()
  const [under, setUnder] = useState<Import>()
  const [failure, setFailure] = useState<unknown>()
  const leaving = useRef<AbortController>(undefined)
  useHotkeys([['n', () => canEdit && setChoosing(true)]])
  // Leaving the page stops the upload. It can be resumed with the same file.
  useEffect(() => () => leaving.current?.abort(), [])
  const { data, error, refetch } = useWorkspaceQuery(['imports', 'page'], (read, signal) =>
    readPages((query) => read.GET('/imports', { params: { query }, signal })),
  )
  const begin = async (begun: Import, file: File, encoding: string) => {
    setChoosing(false)
    setFailure(undefined)
    setUnder(begun)
    leaving.current = new AbortController()
    try {
      await uploadImport(api, file, encoding, begun, { tell: setUnder, signal: leaving.current.signal })
    } catch (problem) {
      if (!leaving.current.signal.aborted) setFailure(problem)
    }
    setUnder(undefined)
    void invalidate('imports')
    void invalidate('contacts')
  }
  const goOn = async (found: Import, file: File | null) => {
    if (!file) return
    // Compared by size if it is known: downloads often change the name.
    const isOther = found.size === null ? file.name !== found.name : found.size !== file.size
    if (isOther) setFailure(new DisplayableError(`This is a different file. Choose ${nameOf(found)} to resume.`))
    else await begin(found, file, (await inspectFile(file)).encoding)
  }
  const rows = data?.map((each) => (each.id === under?.id ? under : each))
  return (
    <Page
      title="Imports"
      narrow
      actions={
        canEdit && (
          <Button
            variant="filled"
            leftSection={<IconPlus aria-hidden />}
            disabled={isChoosing || under !== undefined}
            onClick={() => setChoosing(true)}
          >
            Import file
          </Button>
        )
      }
    >
      {isChoosing && (
        <NewImportForm
          onBegun={(begun, file, encoding) => void begin(begun, file, encoding)}
          onCancel={() => setChoosing(false)}
        />
      )}
      {failure !== undefined && <ErrorBanner error={failure} scrollsIntoView />}
      {under && (
        <UnsavedChangesGuard
          isDirty
          isSending
          asks={{
            title: 'Import in progress',
            leave: 'Stop import',
            message: 'Leaving stops the upload. You can resume it later with the same file.',
          }}
        />
      )}
      {under && <ImportProgress of={under} onStop={() => leaving.current?.abort()} />}
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {!rows && !error && <SkeletonRows rows={6} />}
      {rows?.length === 0 && !isChoosing && (
        <p className="t2">
          Import contacts from a CSV file. For large files, you can also use the command line:{' '}
          <span className="mono">cli import</span>.
        </p>
      )}
      {rows && rows.length > 0 && (
        <table className="table stacked">
          <thead>
            <tr>
              <th>File</th>
              <th>Status</th>
              <th className="num">Created</th>
              <th className="num wide">Updated</th>
              <th className="num wide">Suppressed</th>
              <th className="num">Failed</th>
              <th className="num wide">Started</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((each) => (
              <Fragment key={each.id}>
                <tr>
                  <td className="strong" data-cell="title">
                    {each.name}
                  </td>
                  <td data-cell="state">
                    <StatusBadge status={IMPORT_STATUS[each.status]} plain />
                    {canEdit && each.status === 'RUNNING' && under === undefined && (
                      <FileButton onChange={(file) => void goOn(each, file)} accept=".csv,.tsv,.txt,text/csv">
                        {(props) => (
                          <Button
                            variant="subtle"
                            color="gray"
                            h="auto"
                            styles={{ label: { whiteSpace: 'normal' } }}
                            {...props}
                          >
                            Resume upload…
                          </Button>
                        )}
                      </FileButton>
                    )}
                    {each.problem !== null && <p className="small t2">{each.problem}</p>}
                  </td>
                  <td className="num" data-cell="about">
                    {count(each.created)}
                    <span className="phone"> created</span>
                  </td>
                  <td className="num wide">{count(each.updated)}</td>
                  <td className="num wide">{count(each.suppressed)}</td>
                  <td className="num" data-cell="number">
                    {each.failed === 0 ? (
                      '0'
                    ) : (
                      <button
                        type="button"
                        className="link textButton"
                        aria-label={`View ${plural(each.failed, 'failed row')}`}
                        aria-expanded={shown === each.id}
                        onClick={() => setShown(shown === each.id ? undefined : each.id)}
                      >
                        {count(each.failed)}
                      </button>
                    )}
                    <span className="phone"> failed</span>
                  </td>
                  <td className="num wide t2">
                    <Time at={each.createdAt} />
                  </td>
                </tr>
                {shown === each.id && (
                  <tr>
                    <td colSpan={7} data-cell="actions">
                      <ImportErrors of={each} />
                    </td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
        </table>
      )}
    </Page>
  )
}

/** Shows the progress of an upload. */
function ImportProgress({
  of: { name, lines, position, size, created, updated },
  onStop,
}: {
  of: Import
  onStop: () => void
}) {
  return (
    <div className="card" role="status">
      <p>
        <strong>{name}</strong>: {plural(lines, 'line')} processed, {count(created)} contacts created, {count(updated)}{' '}
        updated.
      </p>
      {size !== null && size > 0 && (
        <Progress value={Math.min(100, (position / size) * 100)} aria-label={`Progress of ${name}`} />
      )}
      <div className="row" style={{ marginTop: 8 }}>
        <Button variant="subtle" color="gray" onClick={onStop}>
          Stop import
        </Button>
        <span className="small t2">Keep this page open. You can stop and resume later with the same file.</span>
      </div>
    </div>
  )
}
