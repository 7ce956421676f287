import { ActionIcon, Button, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconDots, IconList, IconPlus } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { errorMessage, type Schemas } from '../../api/client.ts'
import { readPages } from '../../api/queries.ts'
import { useHasRole, useWorkspaceQuery, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { count, plural } from '../../lib/format.ts'
import { ConfirmDelete } from '../../components/ConfirmDelete.tsx'
import { Page, Section } from '../../layout/Page.tsx'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { timeColumn } from '../../primitives/time-column.tsx'
import { EmptyPage } from '../../primitives/EmptyPage.tsx'
import { ListForm } from './ListForm.tsx'
import classes from './lists.module.css'

type List = Schemas['ContactList']

/** Lists the lists and the tags. */
export function ListsPage() {
  const { workspace } = useWorkspace()
  const canEdit = useHasRole('editor')
  const [isCreating, { open, close }] = useDisclosure()
  const [removing, setRemoving] = useState<string>()
  const [editing, setEditing] = useState<List>()
  const {
    data: lists,
    error,
    refetch,
  } = useWorkspaceQuery(
    ['lists', 'page'],
    (api, signal) => readPages((query) => api.GET('/lists', { params: { query }, signal })),
    { refetchMs: 15_000 },
  )
  const { data: tags } = useWorkspaceQuery(['tags', 'page'], (api, signal) =>
    readPages((query) => api.GET('/tags', { params: { query }, signal })),
  )
  const columns: readonly Column<List>[] = [
    {
      id: 'name',
      head: 'Name',
      phone: 'title',
      cell: ({ name, doubleOptIn, public: isPublic }) => (
        <>
          <span className="strong">{name}</span>
          {doubleOptIn && <span className="small t3"> · double opt-in</span>}
          {isPublic && <span className="small t3"> · public</span>}
        </>
      ),
    },
    { id: 'description', head: 'Description', cell: ({ description }) => <span className="t2">{description}</span> },
    {
      id: 'contacts',
      head: 'Contacts',
      isNumber: true,
      phone: 'number',
      cell: ({ contactCount }) => <span className={contactCount === 0 ? 't3' : 'strong'}>{count(contactCount)}</span>,
    },
    timeColumn({ head: 'Created', at: ({ createdAt }) => createdAt }),
    ...(canEdit
      ? [
          {
            id: 'actions',
            head: 'Actions',
            hidesHead: true,
            isNumber: true,
            phone: 'state' as const,
            cell: (list: List) => (
              <ListMenu list={list} onEdit={() => setEditing(list)} onDelete={() => setRemoving(list.id)} />
            ),
          },
        ]
      : []),
  ]
  return (
    <Page
      title="Lists and tags"
      narrow
      actions={
        canEdit && (
          <Button variant="filled" leftSection={<IconPlus aria-hidden />} onClick={open}>
            New list
          </Button>
        )
      }
    >
      {isCreating && <ListForm onDone={close} />}
      {editing && <ListForm key={editing.id} list={editing} onDone={() => setEditing(undefined)} />}
      <Section title="Lists" meta={lists && count(lists.length)}>
        <DataTable<List>
          label="Lists"
          rows={lists}
          error={error}
          onRetry={() => void refetch()}
          idOf={({ id }) => id}
          columns={columns}
          link={({ id }, title) => (
            <Link to="/w/$workspaceId/contacts" params={{ workspaceId: workspace.id }} search={{ listId: id }}>
              {title}
            </Link>
          )}
          below={({ id, contactCount }) =>
            removing === id && (
              <ConfirmDeleteList id={id} contacts={contactCount} onDone={() => setRemoving(undefined)} />
            )
          }
          empty={
            <EmptyPage icon={IconList} title="No lists yet">
              Lists group subscribers. Joining a list can start an automation, and contacts can leave public lists
              themselves.
            </EmptyPage>
          }
        />
      </Section>
      <Section title="Tags" meta={tags?.length}>
        {tags?.length === 0 && <p className="t2">No tags yet.</p>}
        <div className={classes.tags}>
          {tags?.map(({ name, contactCount }) => (
            <Link
              key={name}
              className={classes.tag}
              to="/w/$workspaceId/contacts"
              params={{ workspaceId: workspace.id }}
              search={{ tag: name }}
            >
              {name} <span className="t3">{count(contactCount)}</span>
            </Link>
          ))}
        </div>
      </Section>
    </Page>
  )
}

/** The actions on a list. */
function ListMenu({
  list: { id, name, doubleOptIn },
  onEdit,
  onDelete,
}: {
  list: List
  onEdit: () => void
  onDelete: () => void
}) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const change = useMutation({
    mutationFn: () => api.PATCH('/lists/{id}', { params: { path: { id } }, body: { doubleOptIn: !doubleOptIn } }),
    onError: (error) => notifications.show({ message: errorMessage(error), color: 'bad', autoClose: false }),
    onSettled: () => void invalidate('lists'),
  })
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`} loading={change.isPending}>
          <IconDots aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={onEdit}>Edit…</Menu.Item>
        <Menu.Item onClick={() => change.mutate()}>
          {doubleOptIn ? 'Turn off double opt-in' : 'Require double opt-in'}
          <span className="small t3" style={{ display: 'block' }}>
            {doubleOptIn ? 'Contacts join at once.' : 'Contacts join when they confirm by email.'}
          </span>
        </Menu.Item>
        <Menu.Item color="bad" onClick={onDelete}>
          Delete…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function ConfirmDeleteList({ id, contacts, onDone }: { id: string; contacts: number; onDone: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  return (
    <ConfirmDelete
      object="list"
      path={`/lists/${id}`}
      description={`${plural(contacts, 'contact')} will leave this list but ${contacts === 1 ? 'is' : 'are'} not deleted.`}
      action={() => api.DELETE('/lists/{id}', { params: { path: { id } } }).finally(() => void invalidate('lists'))}
      onDone={onDone}
    />
  )
}
