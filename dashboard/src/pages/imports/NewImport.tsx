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
import { FIELDS, FORMATS, type Import } from './imports.ts'
import { type FileInspection, inspectFile } from './inspect-file.ts'

const SUBSCRIPTION_STATUSES = [
  { value: 'SUBSCRIBED', label: 'Subscribed, where no column says more' },
  { value: 'UNSUBSCRIBED', label: 'Unsubscribed: they get no marketing' },
  { value: 'BOUNCED', label: 'Bounced: they get nothing at all' },
] as const

type Fields = Readonly<Record<string, string>>

const withField = (fields: Fields, column: string, field: string | null): Fields =>
  Object.fromEntries([
    ...Object.entries(fields).filter(([other]) => other !== column),
    ...(field === null ? [] : [[column, field] as const]),
  ])

/** Which file is imported, what its columns are, and what becomes of its contacts. */
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
        // What is wrong with it is told before anything has begun.
        ...(seen!.header.length > 0 && { header: seen!.header }),
        listId,
        tags,
        as: standing,
        triggers,
        confirmed,
        // Of another encoding it is not known before it is read.
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
    <form className="card" onSubmit={submit} aria-label="Import a file">
      <UnsavedChangesGuard isDirty={file !== null && !begin.isSuccess} isSending={begin.isPending} />
      {begin.isError && <ErrorBanner error={begin.error} scrollsIntoView />}
      <fieldset className="plainFields formFields" disabled={begin.isPending}>
        <FileInput
          label="File"
          description="CSV, in UTF-8, UTF-16 or what Windows writes. It is read in this window, and brought in pieces."
          placeholder="Choose a file"
          accept=".csv,.tsv,.txt,text/csv"
          value={file}
          onChange={choose}
          clearable
        />
        <Select
          label="It is"
          data={FORMATS}
          value={format}
          allowDeselect={false}
          onChange={(value) => setFormat(FORMATS.find((each) => each.value === value)?.value ?? 'csv')}
        />
        {format === 'listmonk' && (
          <p className="t2" role="status">
            Who has left a list in listmonk is “enabled” in this file all the same: import the export of each list that
            is filtered by “unsubscribed” as well, as unsubscribed.
          </p>
        )}
        {format === 'csv' && seen && seen.header.length > 0 && (
          <table className="table" aria-label="Columns">
            <thead>
              <tr>
                <th>Column</th>
                <th>Is</th>
              </tr>
            </thead>
            <tbody>
              {[...new Set(seen.header)].map((column) => (
                <tr key={column}>
                  <td className="mono">{column}</td>
                  <td>
                    <Select
                      aria-label={`What ${column} is`}
                      placeholder="What its name says, or metadata"
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
          label="They join"
          placeholder="No list"
          description="Whoever has opted out does not."
          data={lists ?? []}
          value={listId}
          clearable
          onChange={setListId}
        />
        <TagsInput label="They are tagged" value={tags} onChange={setTags} />
        <Select
          label="They are"
          placeholder="What a column says"
          data={SUBSCRIPTION_STATUSES}
          value={standing}
          clearable
          onChange={(value) => setStanding(SUBSCRIPTION_STATUSES.find((each) => each.value === value)?.value ?? null)}
        />
        <Checkbox
          label="Automations start because of it"
          checked={triggers}
          onChange={({ currentTarget: { checked } }) => setTriggers(checked)}
        />
        <Checkbox
          label="They have confirmed elsewhere that they want to be in the list"
          checked={confirmed}
          onChange={({ currentTarget: { checked } }) => setConfirmed(checked)}
        />
      </fieldset>
      <div className="row">
        <Button type="submit" variant="filled" loading={begin.isPending} disabled={!file || !seen}>
          Import it
        </Button>
        <Button variant="subtle" color="gray" onClick={onCancel} disabled={begin.isPending}>
          Cancel
        </Button>
      </div>
      {isAsking && !confirmed && (
        <p className="t2" role="status">
          Who joins this list has to confirm it, and is in it, and mailed, when she has.{' '}
          {triggers
            ? 'Each of them is asked by an email.'
            : 'None of them is asked: let automations start, or say that they have confirmed elsewhere.'}
        </p>
      )}
    </form>
  )
}
