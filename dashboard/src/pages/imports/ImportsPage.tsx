import { Button, FileButton, Progress } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { Fragment, useEffect, useRef, useState } from 'react'
import { DisplayableError } from '../../api/client.ts'
import { readPages } from '../../api/queries.ts'
import { useHasRole, useWorkspaceQuery, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { count } from '../../lib/format.ts'
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

/** A file, as it is known again. */
const nameOf = ({ name, size }: Import) => (size === null ? name : `${name}, of ${count(size)} bytes`)

/** Files of contacts: what was brought, how far it is, and which rows could not be read. */
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
  // Whoever leaves the page goes on later, with the same file.
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
    // By what it is, where that is known: a name is given anew with each download.
    const isOther = found.size === null ? file.name !== found.name : found.size !== file.size
    if (isOther) setFailure(new DisplayableError(`This is another file: it goes on with ${nameOf(found)} alone.`))
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
            Import a file
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
            title: 'A file is being imported',
            leave: 'Stop it there',
            says: 'It is read in this page. Stopped, it goes on later, with the same file.',
          }}
        />
      )}
      {under && <ImportProgress of={under} onStop={() => leaving.current?.abort()} />}
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {!rows && !error && <SkeletonRows rows={6} />}
      {rows?.length === 0 && !isChoosing && (
        <p className="t2">
          Nothing was imported yet. Large files come in by the command line, too:{' '}
          <span className="mono">cli import</span>.
        </p>
      )}
      {rows && rows.length > 0 && (
        <table className="table">
          <thead>
            <tr>
              <th>File</th>
              <th>State</th>
              <th className="num">New</th>
              <th className="num wide">There before</th>
              <th className="num wide">Not mailed</th>
              <th className="num">Not read</th>
              <th className="num wide">Begun</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((each) => (
              <Fragment key={each.id}>
                <tr>
                  <td className="strong" style={{ overflowWrap: 'anywhere', minWidth: 96 }}>
                    {each.name}
                  </td>
                  <td>
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
                            Go on with the same file…
                          </Button>
                        )}
                      </FileButton>
                    )}
                    {each.problem !== null && <p className="small t2">{each.problem}</p>}
                  </td>
                  <td className="num">{count(each.created)}</td>
                  <td className="num wide">{count(each.updated)}</td>
                  <td className="num wide">{count(each.suppressed)}</td>
                  <td className="num">
                    {each.failed === 0 ? (
                      '0'
                    ) : (
                      <Button
                        variant="subtle"
                        color="gray"
                        aria-expanded={shown === each.id}
                        onClick={() => setShown(shown === each.id ? undefined : each.id)}
                      >
                        {count(each.failed)}: why?
                      </Button>
                    )}
                  </td>
                  <td className="num wide t2">
                    <Time at={each.createdAt} />
                  </td>
                </tr>
                {shown === each.id && (
                  <tr>
                    <td colSpan={7}>
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

/** How far a file is that is being brought. */
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
        <strong>{name}</strong>: {count(lines)} lines are read, {count(created)} contacts are new, and {count(updated)}{' '}
        were there.
      </p>
      {size !== null && size > 0 && (
        <Progress value={Math.min(100, (position / size) * 100)} aria-label={`How far ${name} is`} />
      )}
      <div className="row" style={{ marginTop: 8 }}>
        <Button variant="subtle" color="gray" onClick={onStop}>
          Stop here
        </Button>
        <span className="small t2">Stay on this page. Stopped, it goes on later with the same file.</span>
      </div>
    </div>
  )
}
