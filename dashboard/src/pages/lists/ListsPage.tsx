import { Button, VisuallyHidden } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconPlus } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { errorMessage, type Schemas } from '../../api/client.ts'
import { readPages } from '../../api/queries.ts'
import { useHasRole, useWorkspaceQuery, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { count, plural } from '../../lib/format.ts'
import { ConfirmDelete } from '../../components/ConfirmDelete.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Time } from '../../components/Time.tsx'
import { Page, Section } from '../../layout/Page.tsx'
import { ListForm } from './ListForm.tsx'
import classes from './lists.module.css'

export function ListsPage() {
  const { workspace } = useWorkspace()
  const canEdit = useHasRole('editor')
  const [isCreating, setIsCreating] = useState(false)
  const [removing, setRemoving] = useState<string>()
  const [editing, setEditing] = useState<Schemas['ContactList']>()
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
  return (
    <Page
      title="Lists and tags"
      narrow
      actions={
        canEdit && (
          <Button variant="filled" leftSection={<IconPlus aria-hidden />} onClick={() => setIsCreating(true)}>
            New list
          </Button>
        )
      }
    >
      {isCreating && <ListForm onDone={() => setIsCreating(false)} />}
      {editing && <ListForm key={editing.id} list={editing} onDone={() => setEditing(undefined)} />}
      <Section title="Lists" meta={lists && count(lists.length)}>
        {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
        {!lists && !error && <SkeletonRows rows={4} />}
        {lists?.length === 0 && <p className="t2">Lists group subscribers. Joining a list can start an automation.</p>}
        {lists && lists.length > 0 && (
          <table className="table">
            <thead>
              <tr>
                <th>Name</th>
                <th className="wide">Description</th>
                <th className="num">Contacts</th>
                <th className="num wide">Created</th>
                <th>
                  <VisuallyHidden>Actions</VisuallyHidden>
                </th>
              </tr>
            </thead>
            <tbody>
              {lists.map((list) => (
                <tr key={list.id}>
                  <td className="strong">
                    <Link
                      to="/w/$workspaceId/contacts"
                      params={{ workspaceId: workspace.id }}
                      search={{ listId: list.id }}
                    >
                      {list.name}
                    </Link>
                    {list.doubleOptIn && <span className="small t3"> · double opt-in</span>}
                    {list.public && <span className="small t3"> · public</span>}
                  </td>
                  <td className="wide t2">{list.description}</td>
                  <td className={`num ${list.contactCount === 0 ? 't3' : 'strong'}`}>{count(list.contactCount)}</td>
                  <td className="num wide t2">
                    <Time at={list.createdAt} />
                  </td>
                  <td className="num">
                    {canEdit &&
                      (removing === list.id ? (
                        <ConfirmDeleteList
                          id={list.id}
                          contacts={list.contactCount}
                          onDone={() => setRemoving(undefined)}
                        />
                      ) : (
                        <>
                          <DoubleOptInButton list={list} />
                          <Button
                            variant="subtle"
                            color="gray"
                            aria-label={`Edit ${list.name}`}
                            disabled={editing !== undefined || isCreating}
                            onClick={() => setEditing(list)}
                          >
                            Edit…
                          </Button>
                          <Button variant="subtle" color="gray" onClick={() => setRemoving(list.id)}>
                            Delete…
                          </Button>
                        </>
                      ))}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
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

/** Turns double opt-in of a list on or off. */
function DoubleOptInButton({ list: { id, doubleOptIn } }: { list: Schemas['ContactList'] }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const change = useMutation({
    mutationFn: () => api.PATCH('/lists/{id}', { params: { path: { id } }, body: { doubleOptIn: !doubleOptIn } }),
    onError: (error) => notifications.show({ message: errorMessage(error), color: 'bad', autoClose: false }),
    onSettled: () => void invalidate('lists'),
  })
  return (
    <Button variant="subtle" color="gray" className="wide" loading={change.isPending} onClick={() => change.mutate()}>
      {doubleOptIn ? 'Turn off double opt-in' : 'Require double opt-in'}
    </Button>
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
