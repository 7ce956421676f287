import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { IconDownload } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { createApi } from '../../api/client.ts'
import { useLists } from '../../api/queries.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { download } from '../../lib/download.ts'
import { count } from '../../lib/format.ts'
import { csvOfContacts } from './contacts-csv.ts'
import { type ContactFilters, readContacts } from './read-contacts.ts'

/** Retries of a page. A page over the limit of requests waits. */
const RETRIES = 3

/** Downloads all contacts that match the filters, on all pages. It can be cancelled, and ends when the user leaves the page. */
export function ExportContacts({ filters, fileName = 'contacts.csv' }: { filters: ContactFilters; fileName?: string }) {
  const { workspace } = useWorkspace()
  const lists = useLists()
  const [progress, setProgress] = useState('')
  const running = useRef<AbortController>(undefined)
  const cancel = () => running.current?.abort()
  useEffect(() => cancel, [])
  const run = useMutation({
    async mutationFn() {
      const { signal } = (running.current = new AbortController())
      setProgress('Exporting…')
      const onProgress = (read: number, total: number) => setProgress(`${count(read)} of ${count(total)} contacts`)
      const api = createApi(workspace.id, RETRIES)
      try {
        const contacts = await readContacts(api, filters, { signal, onProgress })
        download(fileName, csvOfContacts(contacts, lists ?? []))
      } catch (error) {
        if (!signal.aborted) throw error
      }
    },
  })
  if (run.isPending)
    return (
      <span className="row">
        <span className="small t2" role="status">
          {progress}
        </span>
        <Button variant="subtle" color="gray" aria-label="Cancel export" onClick={cancel}>
          Cancel
        </Button>
      </span>
    )
  return (
    <>
      <Button variant="subtle" color="gray" leftSection={<IconDownload aria-hidden />} onClick={() => run.mutate()}>
        Export all as CSV
      </Button>
      {run.isError && <ErrorBanner error={run.error} />}
    </>
  )
}
