import { Button, Popover, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useSegments } from '../../api/queries.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import type { Condition } from '../../components/conditions/condition.ts'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import type { ContactSearch } from './ContactsList.tsx'

/** Saves the filters of the list as a segment, which is a view from then on. */
export function SaveView({ search, onSaved }: { search: ContactSearch; onSaved: (segmentId: string) => void }) {
  const [isOpen, { set, toggle, close }] = useDisclosure()
  return (
    <Popover opened={isOpen} onChange={set} trapFocus position="bottom-end" withinPortal>
      <Popover.Target>
        <Button onClick={toggle}>Save view…</Button>
      </Popover.Target>
      <Popover.Dropdown>
        <SaveForm search={search} onSaved={onSaved} onCancel={close} />
      </Popover.Dropdown>
    </Popover>
  )
}

function SaveForm({
  search,
  onSaved,
  onCancel,
}: {
  search: ContactSearch
  onSaved: (segmentId: string) => void
  onCancel: () => void
}) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const segments = useSegments() ?? []
  const isTaken = (name: string) =>
    segments.some(({ label }) => label.trim().toLowerCase() === name.trim().toLowerCase())
  const form = useApiForm({
    initialValues: { name: '' },
    validate: ({ name }) => ({ name: isTaken(name) && 'Another view or segment has this name.' }),
    async send({ name }) {
      const { data } = await api.POST('/segments', { body: { name, condition: conditionOf(search) } })
      void invalidate('segments')
      return data.data.id
    },
    onSent: (id) => id !== undefined && onSaved(id),
  })
  return (
    <ApiForm form={form} label="Save view" className="" submitLabel="Save as segment" onCancel={onCancel}>
      <TextInput
        label="Name"
        description="A segment is a view of contacts, and an audience of campaigns."
        {...form.getInputProps('name')}
        data-autofocus
      />
      {search.q !== undefined && <p className="small t2">The search text is not saved.</p>}
    </ApiForm>
  )
}

/** Checks whether a segment can keep the filters of a search. */
export const isSavable = ({ listId, tag }: ContactSearch): boolean => listId !== undefined || tag !== undefined

function conditionOf({ listId, tag, segmentId }: ContactSearch): Condition {
  return {
    all: [
      ...(segmentId === undefined ? [] : [{ segment: segmentId }]),
      ...(listId === undefined ? [] : [{ list: listId }]),
      ...(tag === undefined ? [] : [{ tag }]),
    ],
  }
}
