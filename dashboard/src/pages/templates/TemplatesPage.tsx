import { Button, SegmentedControl, TextInput } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { IconPlus, IconSearch, IconTemplate } from '@tabler/icons-react'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Suspense, useRef } from 'react'
import type { Schemas } from '../../api/client.ts'
import { readPages } from '../../api/queries.ts'
import { useHasRole, useWorkspaceQuery, useWorkspace } from '../../api/workspace.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Page } from '../../layout/Page.tsx'
import { plural } from '../../lib/format.ts'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { timeColumn } from '../../primitives/time-column.tsx'
import { EmptyPage } from '../../primitives/EmptyPage.tsx'
import { ViewTabs } from '../../primitives/ViewTabs.tsx'
import { lazyPart } from '../../lib/load-with-retry.ts'
import { TemplateCards } from './TemplateCards.tsx'
import { KIND_WORDS, usesText } from './template-words.ts'
import classes from './templates.module.css'

type Row = Schemas['TemplateSummary']

const NewTemplateForm = lazyPart(async () => (await import('./NewTemplate.tsx')).NewTemplateForm)

const LOOKS = [
  { value: 'cards', label: 'Cards' },
  { value: 'list', label: 'List' },
] as const

const VIEWS = [
  { id: 'all', label: 'All', kind: undefined },
  { id: 'emails', label: 'Emails', kind: 'EMAIL' },
  { id: 'layouts', label: 'Layouts', kind: 'LAYOUT' },
  { id: 'snippets', label: 'Snippets', kind: 'PARTIAL' },
] as const

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'name',
    head: 'Template',
    phone: 'title',
    sortBy: ({ name }) => name.toLowerCase(),
    cell: ({ name, kind, subject }) => (
      <>
        <span className="strong">{name}</span>
        {kind === 'EMAIL' && (
          <span className="small t2 wide" style={{ display: 'block' }}>
            {subject ?? 'No subject'}
          </span>
        )}
      </>
    ),
  },
  { id: 'kind', head: 'Type', phone: 'state', cell: ({ kind }) => <span className="t2">{KIND_WORDS[kind]}</span> },
  { id: 'uses', head: 'Used in', cell: ({ useCounts }) => <span className="t2">{usesText(useCounts)}</span> },
  { id: 'version', head: 'Version', isNumber: true, sortBy: ({ version }) => version, cell: ({ version }) => version },
  timeColumn(
    { head: 'Updated', at: ({ updatedAt }) => updatedAt, as: 'date' },
    { isNumber: true, phone: 'about', sortBy: ({ updatedAt }) => updatedAt },
  ),
]

/** Shows templates, layouts and snippets as cards or as a list. View, search, look and sorting are in the URL. */
export function TemplatesPage() {
  const { workspace } = useWorkspace()
  const { view = 'all', q = '', sort = '-updated', as = 'cards' } = useSearch({ from: '/w/$workspaceId/templates' })
  const navigate = useNavigate({ from: '/w/$workspaceId/templates' })
  const canEdit = useHasRole('editor')
  const [isCreating, { open, close }] = useDisclosure()
  const find = useRef<HTMLInputElement>(null)
  useHotkeys([
    ['n', () => canEdit && open()],
    ['/', () => find.current?.focus()],
  ])
  const { data, error, refetch } = useWorkspaceQuery(['templates', 'page'], (api, signal) =>
    readPages((query) => api.GET('/templates', { params: { query }, signal })),
  )
  const show = (templateId: string) =>
    void navigate({
      to: '/w/$workspaceId/templates/$templateId',
      params: { workspaceId: workspace.id, templateId },
      ignoreBlocker: true,
    })
  const set = (search: { view?: typeof view; q?: string; sort?: string; as?: typeof as }) =>
    void navigate({ search: (before) => ({ ...before, ...search }), replace: true })
  const typed = q.toLowerCase()
  const isIn = ({ kind }: Row, id: string) => {
    const wanted = VIEWS.find((each) => each.id === id)?.kind
    return wanted === undefined || wanted === kind
  }
  const rows = data?.filter(
    (row) => isIn(row, view) && [row.name, row.subject ?? ''].some((text) => text.toLowerCase().includes(typed)),
  )
  const newTemplate = (
    <Button variant="filled" leftSection={<IconPlus aria-hidden />} disabled={isCreating} onClick={open}>
      New template
    </Button>
  )
  return (
    <Page title="Templates" actions={canEdit && newTemplate}>
      {isCreating && (
        <Suspense fallback={<SkeletonRows rows={4} />}>
          <NewTemplateForm onCreated={show} onCancel={close} />
        </Suspense>
      )}
      <ViewTabs
        label="Views"
        views={VIEWS.map(({ id, label }) => ({ id, label, count: data?.filter((row) => isIn(row, id)).length }))}
        value={view}
        onChange={(id) => set({ view: id })}
      >
        <span className={classes.tools}>
          <SegmentedControl aria-label="Show as" data={[...LOOKS]} value={as} onChange={(look) => set({ as: look })} />
          <TextInput
            ref={find}
            aria-label="Search templates"
            placeholder="Name or subject"
            leftSection={<IconSearch aria-hidden />}
            rightSection={<kbd aria-hidden>/</kbd>}
            value={q}
            onChange={({ currentTarget: { value } }) => set({ q: value })}
          />
        </span>
      </ViewTabs>
      {as === 'cards' && rows && rows.length > 0 ? (
        <TemplateCards templates={rows} />
      ) : (
        <DataTable<Row>
          label="Templates"
          rows={rows}
          error={error}
          onRetry={() => void refetch()}
          idOf={({ id }) => id}
          columns={COLUMNS}
          link={({ id }, title) => (
            <Link to="/w/$workspaceId/templates/$templateId" params={{ workspaceId: workspace.id, templateId: id }}>
              {title}
            </Link>
          )}
          sort={{ by: sort.replace(/^-/, ''), isDescending: sort.startsWith('-') }}
          onSort={({ by, isDescending }) => set({ sort: `${isDescending ? '-' : ''}${by}` })}
          {...(canEdit && { keys: [['N', 'New template']] as const })}
          total={rows && plural(rows.length, 'template')}
          empty={
            data?.length === 0 ? (
              !isCreating && (
                <EmptyPage icon={IconTemplate} title="No templates yet" action={canEdit && newTemplate}>
                  Design an email once, and use it in campaigns and automations.
                </EmptyPage>
              )
            ) : (
              <p className="t2">No templates match. Choose another view or search.</p>
            )
          }
        />
      )}
    </Page>
  )
}
