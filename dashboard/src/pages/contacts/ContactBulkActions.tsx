import { Button, Popover, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { DisplayableError, errorMessage, hasErrorCode } from '../../api/client.ts'
import { readPages, useLists } from '../../api/queries.ts'
import { useInvalidate, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { download } from '../../lib/download.ts'
import { count, plural } from '../../lib/format.ts'
import { AskButton } from '../../primitives/AskButton.tsx'
import { showUndo } from '../../primitives/undo-toast.tsx'
import type { Contact } from './columns.tsx'
import { csvOfContacts } from './contacts-csv.ts'

/** Requests at once. */
const AT_ONCE = 5

/** Runs a request for each contact, a few at a time, to the end. @throws if some failed, saying how many */
async function forEach(contacts: readonly Contact[], run: (contact: Contact) => Promise<unknown>): Promise<void> {
  const rest = [...contacts]
  const errors: unknown[] = []
  const work = async () => {
    for (let next = rest.shift(); next; next = rest.shift())
      await run(next).catch((error: unknown) => {
        // Someone else was first.
        if (!hasErrorCode(error, 'contact_not_found')) errors.push(error)
      })
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  if (errors.length > 0)
    throw new DisplayableError(
      `${count(errors.length)} of ${plural(contacts.length, 'contact')} failed: ${errorMessage(errors[0])}`,
    )
}

/** Changes, exports or deletes the selected contacts. Tags and lists can be undone. */
export function ContactBulkActions({ contacts, onDone }: { contacts: readonly Contact[]; onDone: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const lists = useLists()
  const { data: automations } = useWorkspaceQuery(['automations', 'choice', 'active'], async (api, signal) => {
    const rows = await readPages((query) => api.GET('/automations', { params: { query }, signal }))
    return rows.filter(({ status }) => status === 'active').map(({ id, name }) => ({ value: id, label: name }))
  })
  const many = plural(contacts.length, 'contact')
  const again = () => invalidate('contacts')
  const addTag = async (tag: string) => {
    // Tags are case-insensitive, as on the server.
    const without = contacts.filter(({ tags }) => !tags.some((each) => each.toLowerCase() === tag.toLowerCase()))
    await forEach(without, ({ id }) =>
      api.POST('/contacts/{id}/tags', { params: { path: { id } }, body: { tags: [tag] } }),
    )
    if (without.length === 0) {
      notifications.show({ message: `All of them have the tag “${tag}”.` })
      return
    }
    showUndo(`Tagged ${plural(without.length, 'contact')} “${tag}”.`, async () => {
      await forEach(without, ({ id }) => api.DELETE('/contacts/{id}/tags/{tag}', { params: { path: { id, tag } } }))
      await again()
    })
  }
  const addToList = async (listId: string) => {
    const without = contacts.filter(({ listIds }) => !listIds.includes(listId))
    const path = { id: listId }
    if (without.length === 0) {
      notifications.show({ message: 'All of them are in the list.' })
      return
    }
    await api.POST('/lists/{id}/contacts', { params: { path }, body: { contactIds: without.map(({ id }) => id) } })
    showUndo(`Added ${plural(without.length, 'contact')} to the list.`, async () => {
      await forEach(without, ({ id }) =>
        api.DELETE('/lists/{id}/contacts/{contactId}', { params: { path: { ...path, contactId: id } } }),
      )
      await again()
    })
  }
  const enroll = async (automationId: string) => {
    let enrolled = 0
    await forEach(contacts, async ({ id }) => {
      const params = { path: { id: automationId } }
      const { data } = await api.POST('/automations/{id}/enroll', { params, body: { contactId: id } })
      if (data.data.enrolled) enrolled += 1
    })
    const others = contacts.length - enrolled
    notifications.show({
      message: `Added ${plural(enrolled, 'contact')} to the automation.${others > 0 ? ` ${count(others)} did not enter: they were in it before, or may not enter.` : ''}`,
    })
  }
  const endEach = async (end: (contact: Contact) => Promise<unknown>) => {
    await forEach(contacts, end).finally(() => void again())
    onDone()
  }
  const run = useMutation({
    mutationFn: (action: () => Promise<void>) => action(),
    onSuccess: onDone,
    onError: (error) => notifications.show({ message: errorMessage(error), color: 'bad' }),
    onSettled: again,
  })
  const isBusy = run.isPending
  return (
    <>
      <Choice label="Add tag" isBusy={isBusy} onChoose={(tag) => run.mutate(() => addTag(tag))} />
      <Choice
        label="Add to list"
        options={lists ?? []}
        isBusy={isBusy}
        onChoose={(id) => run.mutate(() => addToList(id))}
      />
      <Choice
        label="Add to automation"
        options={automations ?? []}
        isBusy={isBusy}
        onChoose={(id) => run.mutate(() => enroll(id))}
      />
      <AskButton
        label="Suppress…"
        confirmLabel={`Suppress ${many}`}
        description="They get no more email, not even transactional. Their enrollments continue without emails. You can remove a suppression under Suppressions."
        action={() => endEach(({ email }) => api.POST('/suppressions', { body: { email, reason: 'MANUAL' } }))}
      />
      <Button
        variant="subtle"
        color="gray"
        onClick={() => download('contacts.csv', csvOfContacts(contacts, lists ?? []))}
      >
        Export CSV
      </Button>
      <AskButton
        label="Delete…"
        button={{ color: 'bad' }}
        confirmLabel={`Delete ${many}`}
        description="Their data is erased. Running automations end for them. This can’t be undone."
        action={() => endEach(({ id }) => api.DELETE('/contacts/{id}', { params: { path: { id } } }))}
      />
    </>
  )
}

/** A button that asks for a value. @param options those to choose from; without, any text */
function Choice({
  label,
  options,
  isBusy,
  onChoose,
}: {
  label: string
  options?: readonly { value: string; label: string }[]
  isBusy: boolean
  onChoose: (value: string) => void
}) {
  const [value, setValue] = useState<string | null>(null)
  const [isOpen, { set, toggle }] = useDisclosure()
  const chosen = value?.trim() ?? ''
  return (
    <Popover opened={isOpen} onChange={set} closeOnClickOutside={false} trapFocus position="top" withinPortal>
      <Popover.Target>
        <Button variant="subtle" color="gray" onClick={toggle}>
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          className="row"
          style={{ alignItems: 'flex-end' }}
          onSubmit={(event) => {
            event.preventDefault()
            if (chosen !== '') onChoose(chosen)
          }}
        >
          {options ? (
            <SearchableSelect label={label} data={options} value={value} onChange={setValue} />
          ) : (
            <TextInput
              label={label}
              value={value ?? ''}
              onChange={({ currentTarget: { value: text } }) => setValue(text)}
              data-autofocus
            />
          )}
          <Button type="submit" variant="filled" loading={isBusy}>
            Add
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}
