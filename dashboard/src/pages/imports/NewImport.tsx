import { Button, Checkbox, FileInput, Select, TagsInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useLists } from '../../api/queries.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { focusInvalidField } from '../../lib/has-invalid-field.ts'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { useReturnFocus } from '../../lib/use-return-focus.ts'
import { FIELDS, FORMATS, guessedLabel, type Import } from './imports.ts'
import { type FileInspection, inspectFile } from './inspect-file.ts'

const SUBSCRIPTION_STATUSES = [
  { value: 'SUBSCRIBED', label: 'Subscribed (unless a column says otherwise)' },
  { value: 'UNSUBSCRIBED', label: 'Unsubscribed' },
  { value: 'BOUNCED', label: 'Bounced (suppress all email)' },
] as const

type Fields = Readonly<Record<string, string>>

const withField = (fields: Fields, column: string, field: string | null): Fields =>
  Object.fromEntries([
    ...Object.entries(fields).filter(([other]) => other !== column),
    ...(field === null ? [] : [[column, field] as const]),
  ])

/** Chooses a file, maps its columns, and sets options for its contacts. */
export function NewImportForm({
  onBegun,
  onCancel,
}: {
  onBegun: (begun: Import, file: File, encoding: string) => void
  onCancel: () => void
}) {
  useReturnFocus()
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const lists = useLists()
  const [file, setFile] = useState<File | null>(null)
  const [seen, setSeen] = useState<FileInspection>()
  const [format, setFormat] = useState<Import['format']>('csv')
  const [fields, setFields] = useState<Fields>({})
  const [listId, setListId] = useState<string | null>(null)
  const [tags, setTags] = useState<string[]>([])
  const [standing, setStanding] = useState<(typeof SUBSCRIPTION_STATUSES)[number]['value'] | null>(null)
  const [triggers, setTriggers] = useState(false)
  const [confirmed, setConfirmed] = useState(false)
  const choose = (chosen: File | null) => {
    setFile(chosen)
    setSeen(undefined)
    setFields({})
    if (chosen) void inspectFile(chosen).then(setSeen)
  }
  const begin = useMutation({
    mutationFn: async () => {
      const columns = Object.entries(fields).map(([column, field]) => ({
        column,
        field: field === 'metadata' ? `metadata.${column.trim()}` : field,
      }))
      const body = {
        name: file!.name,
        format,
        ...(format === 'csv' && { columns }),
        // Lets the server reject the header before anything is imported.
        ...(seen!.header.length > 0 && { header: seen!.header }),
        listId,
        tags,
        as: standing,
        triggers,
        confirmed,
        // The size in UTF-8 is unknown for other encodings.
        size: seen!.encoding === 'utf-8' ? file!.size : null,
      }
      return (await api.POST('/imports', { body })).data.data
    },
    onSuccess: (begun) => {
      void invalidate('imports')
      onBegun(begun, file!, seen!.encoding)
    },
  })
  const isAsking = lists?.find(({ value }) => value === listId)?.isAsking ?? false
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!focusInvalidField(event.currentTarget)) begin.mutate()
  }
  return (
    <form className="card" onSubmit={submit} onChange={() => begin.isError && begin.reset()} aria-label="Import file">
      <UnsavedChangesGuard isDirty={file !== null && !begin.isSuccess} isSending={begin.isPending} />
      {begin.isError && <ErrorBanner error={begin.error} scrollsIntoView />}
      <fieldset className="plainFields formFields" disabled={begin.isPending}>
        <FileInput
          label="File"
          description="A CSV file. Keep this page open while it uploads."
          placeholder="Choose a file"
          accept=".csv,.tsv,.txt,text/csv"
          value={file}
          onChange={choose}
          clearable
        />
        <Select
          label="Source"
          data={FORMATS}
          value={format}
          allowDeselect={false}
          onChange={(value) => setFormat(FORMATS.find((each) => each.value === value)?.value ?? 'csv')}
        />
        {format === 'listmonk' && (
          <p className="t2" role="status">
            listmonk exports contacts who left a list as “enabled”. Also export each list filtered by “unsubscribed”,
            and import that file with the status Unsubscribed.
          </p>
        )}
        {format === 'csv' && seen && seen.header.length > 0 && (
          <table className="table" aria-label="Columns">
            <thead>
              <tr>
                <th>Column</th>
                <th>Import as</th>
              </tr>
            </thead>
            <tbody>
              {[...new Set(seen.header)].map((column) => (
                <tr key={column}>
                  <td className="mono">{column}</td>
                  <td>
                    <Select
                      aria-label={`Import ${column} as`}
                      placeholder={`${guessedLabel(column)} (detected)`}
                      data={FIELDS}
                      value={fields[column] ?? null}
                      clearable
                      onChange={(value) => setFields((now) => withField(now, column, value))}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <SearchableSelect
          label="Add to list"
          placeholder="No list"
          description="Unsubscribed contacts are skipped."
          data={lists ?? []}
          value={listId}
          clearable
          onChange={setListId}
        />
        <TagsInput label="Add tags" value={tags} onChange={setTags} />
        <Select
          label="Subscription status"
          placeholder="From the file"
          data={SUBSCRIPTION_STATUSES}
          value={standing}
          clearable
          onChange={(value) => setStanding(SUBSCRIPTION_STATUSES.find((each) => each.value === value)?.value ?? null)}
        />
        <Checkbox
          label="Start automations"
          checked={triggers}
          onChange={({ currentTarget: { checked } }) => setTriggers(checked)}
        />
        <Checkbox
          label="These contacts already gave consent (skip double opt-in)"
          checked={confirmed}
          onChange={({ currentTarget: { checked } }) => setConfirmed(checked)}
        />
      </fieldset>
      <div className="row">
        <Button type="submit" variant="filled" loading={begin.isPending} disabled={!file || !seen}>
          {' '}
          Start import
        </Button>
        <Button variant="subtle" color="gray" onClick={onCancel} disabled={begin.isPending}>
          Cancel
        </Button>
      </div>
      {isAsking && !confirmed && (
        <p className="t2" role="status">
          This list requires double opt-in: contacts join after they confirm.{' '}
          {triggers
            ? 'Each contact gets a confirmation email.'
            : 'No confirmation emails will be sent. Check “Start automations”, or confirm that the contacts already gave consent.'}
        </p>
      )}
    </form>
  )
}
