import { Button, FileButton, Progress } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { Fragment, useEffect, useRef, useState } from 'react'
import { Told } from '../../api/client.ts'
import { readPages } from '../../api/reads.ts'
import { useMay, useRead, useReadAgain, useWorkspace } from '../../api/workspace.tsx'
import { count } from '../../parts/numbers.ts'
import { Unsaved } from '../../parts/NotSaved.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { State } from '../../parts/states.tsx'
import { Time } from '../../parts/Time.tsx'
import { Page } from '../../shell/Page.tsx'
import { bring } from './bring.ts'
import { type Import, IMPORT_LOOKS } from './imports.ts'
import { ImportErrors } from './ImportErrors.tsx'
import { NewImport } from './NewImport.tsx'
import { lookAt } from './read-file.ts'

/** A file, as it is known again. */
const nameOf = ({ name, size }: Import) => (size === null ? name : `${name}, of ${count(size)} bytes`)

/** Files of contacts: what was brought, how far it is, and which rows could not be read. */
export function ImportsPage() {
  const { api } = useWorkspace()
  const may = useMay('editor')
  const readAgain = useReadAgain()
  const [isChoosing, setChoosing] = useState(false)
  const [shown, setShown] = useState<string>()
  const [under, setUnder] = useState<Import>()
  const [failure, setFailure] = useState<unknown>()
  const leaving = useRef<AbortController>(undefined)
  useHotkeys([['n', () => may && setChoosing(true)]])
  // Whoever leaves the page goes on later, with the same file.
  useEffect(() => () => leaving.current?.abort(), [])
  const { data, error, refetch } = useRead(['imports', 'page'], (read, signal) =>
    readPages((query) => read.GET('/imports', { params: { query }, signal })),
  )
  const begin = async (begun: Import, file: File, encoding: string) => {
    setChoosing(false)
    setFailure(undefined)
    setUnder(begun)
    leaving.current = new AbortController()
    try {
      await bring(api, file, encoding, begun, { tell: setUnder, signal: leaving.current.signal })
    } catch (problem) {
      if (!leaving.current.signal.aborted) setFailure(problem)
    }
    setUnder(undefined)
    void readAgain('imports')
    void readAgain('contacts')
  }
  const goOn = async (found: Import, file: File | null) => {
    if (!file) return
    // By what it is, where that is known: a name is given anew with each download.
    const isOther = found.size === null ? file.name !== found.name : found.size !== file.size
    if (isOther) setFailure(new Told(`This is another file: it goes on with ${nameOf(found)} alone.`))
    else await begin(found, file, (await lookAt(file)).encoding)
  }
  const rows = data?.map((each) => (each.id === under?.id ? under : each))
  return (
    <Page
      title="Imports"
      narrow
      actions={
        may && (
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
        <NewImport
          onBegun={(begun, file, encoding) => void begin(begun, file, encoding)}
          onCancel={() => setChoosing(false)}
        />
      )}
      {failure !== undefined && <Problem error={failure} isAnswer />}
      {under && (
        <Unsaved
          isDirty
          isSending
          asks={{
            title: 'A file is being imported',
            leave: 'Stop it there',
            says: 'It is read in this page. Stopped, it goes on later, with the same file.',
          }}
        />
      )}
      {under && <Underway of={under} onStop={() => leaving.current?.abort()} />}
      {error && <Problem error={error} again={() => void refetch()} />}
      {!rows && !error && <Rows rows={6} />}
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
                    <State look={IMPORT_LOOKS[each.status]} plain />
                    {may && each.status === 'RUNNING' && under === undefined && (
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
function Underway({
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
