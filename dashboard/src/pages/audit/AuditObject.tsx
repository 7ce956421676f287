import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Api } from '../../api/client.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { ContactLink } from '../../components/ContactLink.tsx'

/** Milliseconds for which a name is cached. */
const FRESH_MS = 600_000

type NamedKind = 'automation' | 'campaign' | 'template' | 'list' | 'segment'

const NAME_OF: Record<NamedKind, (api: Api, id: string) => Promise<string>> = {
  automation: async (api, id) => (await api.GET('/automations/{id}', { params: { path: { id } } })).data.data.name,
  campaign: async (api, id) => (await api.GET('/campaigns/{id}', { params: { path: { id } } })).data.data.name,
  template: async (api, id) => (await api.GET('/templates/{id}', { params: { path: { id } } })).data.data.name,
  list: async (api, id) => (await api.GET('/lists/{id}', { params: { path: { id } } })).data.data.name,
  segment: async (api, id) => (await api.GET('/segments/{id}', { params: { path: { id } } })).data.data.name,
}

/** Finds what an operation is about by its ID, such as `updateAutomation`. */
const kindOf = (operation: string): NamedKind | undefined =>
  (['automation', 'campaign', 'template', 'list', 'segment'] as const).find((kind) =>
    operation.toLowerCase().includes(kind),
  )

/** The object of an audit entry: its name with a link, or its ID if it has neither. */
export function AuditObject({ operation, id }: { operation: string; id: string }) {
  const kind = kindOf(operation)
  if (kind === undefined && /contact|event/i.test(operation)) return <ContactLink contactId={id} />
  if (kind === undefined) return <ShortId id={id} />
  return <NamedObject kind={kind} id={id} />
}

function NamedObject({ kind, id }: { kind: NamedKind; id: string }) {
  const { api, workspace } = useWorkspace()
  const { data: name, isPending } = useQuery({
    queryKey: [workspace.id, 'audit', 'name', kind, id],
    queryFn: () => NAME_OF[kind](api, id),
    staleTime: FRESH_MS,
    retry: false,
  })
  if (isPending) return <span className="t3">…</span>
  if (name === undefined)
    return (
      <span className="t3" title={id}>
        Deleted {kind}
      </span>
    )
  const params = { workspaceId: workspace.id }
  switch (kind) {
    case 'automation':
      return (
        <Link to="/w/$workspaceId/automations/$automationId" params={{ ...params, automationId: id }}>
          {name}
        </Link>
      )
    case 'campaign':
      return (
        <Link to="/w/$workspaceId/campaigns/$campaignId" params={{ ...params, campaignId: id }}>
          {name}
        </Link>
      )
    case 'template':
      return (
        <Link to="/w/$workspaceId/templates/$templateId" params={{ ...params, templateId: id }}>
          {name}
        </Link>
      )
    case 'list':
      return (
        <Link to="/w/$workspaceId/contacts" params={params} search={{ listId: id }}>
          {name}
        </Link>
      )
    case 'segment':
      return (
        <Link to="/w/$workspaceId/contacts" params={params} search={{ segmentId: id }}>
          {name}
        </Link>
      )
  }
}

const ShortId = ({ id }: { id: string }) => (
  <span className="mono t3" title={id}>
    …{id.slice(-6)}
  </span>
)
