import { Button, Popover, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { DisplayableError, errorMessage, hasErrorCode } from '../../api/client.ts'
import { readPages, useLists } from '../../api/queries.ts'
import { useInvalidate, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { download } from '../../lib/download.ts'
import { count, plural } from '../../lib/format.ts'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { AskButton } from '../../primitives/AskButton.tsx'
import { showUndo } from '../../primitives/undo-toast.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
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
  const act = async (action: () => Promise<void>) => {
    await action().finally(() => void again())
    onDone()
  }
  const actOnEach = (action: (contact: Contact) => Promise<unknown>) => act(() => forEach(contacts, action))
  return (
    <>
      <Choice label="Add tag" action={(tag) => act(() => addTag(tag))} />
      <Choice label="Add to list" options={lists ?? []} action={(id) => act(() => addToList(id))} />
      <Choice label="Add to automation" options={automations ?? []} action={(id) => act(() => enroll(id))} />
      <AskButton
        label="Suppress…"
        confirmLabel={`Suppress ${many}`}
        description="They get no more email, not even transactional. Their enrollments continue without emails. You can remove a suppression under Suppressions."
        action={() => actOnEach(({ email }) => api.POST('/suppressions', { body: { email, reason: 'MANUAL' } }))}
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
        action={() => actOnEach(({ id }) => api.DELETE('/contacts/{id}', { params: { path: { id } } }))}
      />
    </>
  )
}

/** A button that asks for a value. @param options those to choose from; without, any text */
function Choice({
  label,
  options,
  action,
}: {
  label: string
  options?: readonly { value: string; label: string }[]
  action: (value: string) => Promise<void>
}) {
  const [isOpen, { set, toggle }] = useDisclosure()
  const form = useApiForm({
    initialValues: { value: '' },
    validate: ({ value }) => ({ value: value.trim() === '' && (options ? 'Choose one.' : 'Enter a tag.') }),
    send: ({ value }) => action(value.trim()),
  })
  const { value, ...field } = form.getInputProps('value') as { value: string; onChange: (value: unknown) => void }
  return (
    <Popover opened={isOpen} onChange={set} closeOnClickOutside={false} trapFocus position="top" withinPortal>
      <Popover.Target>
        <Button variant="subtle" color="gray" onClick={toggle}>
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <ApiForm form={form} label={label} className="" submitLabel="Add" hasUnsavedGuard={false}>
          {options ? (
            <SearchableSelect label={label} data={options} value={value === '' ? null : value} {...field} />
          ) : (
            <TextInput label={label} value={value} {...field} data-autofocus />
          )}
        </ApiForm>
      </Popover.Dropdown>
    </Popover>
  )
}
