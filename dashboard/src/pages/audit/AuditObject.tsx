import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Api } from '../../api/client.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { ContactLink } from '../../components/ContactLink.tsx'
import { kindOf, type ObjectKind } from './operations.ts'

/** Milliseconds for which a name is cached. */
const FRESH_MS = 600_000

type NamedKind = Exclude<ObjectKind, 'contact'>

const NAME_OF: Record<NamedKind, (api: Api, id: string) => Promise<string | undefined>> = {
  automation: async (api, id) => (await api.GET('/automations/{id}', { params: { path: { id } } })).data.data.name,
  campaign: async (api, id) => (await api.GET('/campaigns/{id}', { params: { path: { id } } })).data.data.name,
  template: async (api, id) => (await api.GET('/templates/{id}', { params: { path: { id } } })).data.data.name,
  list: async (api, id) => (await api.GET('/lists/{id}', { params: { path: { id } } })).data.data.name,
  segment: async (api, id) => (await api.GET('/segments/{id}', { params: { path: { id } } })).data.data.name,
  import: async (api, id) => (await api.GET('/imports/{id}', { params: { path: { id } } })).data.data.name,
  member: async (api, id) => (await api.GET('/members')).data.data.find((each) => each.id === id)?.email,
  'API key': async (api, id) => (await api.GET('/api-keys')).data.data.find((each) => each.id === id)?.name,
  async webhook(api, id) {
    const { url, description } = (await api.GET('/webhooks/{id}', { params: { path: { id } } })).data.data
    return url ?? description ?? 'Polled events'
  },
}

/** The object of an audit entry: its name with a link. Objects without a name are left out. */
export function AuditObject({ operation, id }: { operation: string; id: string }) {
  const kind = kindOf(operation)
  if (kind === undefined) return null
  return kind === 'contact' ? <ContactLink contactId={id} /> : <NamedObject kind={kind} id={id} />
}

function NamedObject({ kind, id }: { kind: NamedKind; id: string }) {
  const { api, workspace } = useWorkspace()
  const { data: name, isPending } = useQuery({
    queryKey: [workspace.id, 'audit', 'name', kind, id],
    queryFn: async () => (await NAME_OF[kind](api, id)) ?? null,
    staleTime: FRESH_MS,
    retry: false,
  })
  if (isPending) return <span className="t3">…</span>
  if (name == null)
    return (
      <span className="t3" title={id}>
        {kind === 'member' ? 'Former member' : `Deleted ${kind}`}
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
        <Link to="/w/$workspaceId/segments/$segmentId" params={{ ...params, segmentId: id }}>
          {name}
        </Link>
      )
    case 'import':
      return (
        <Link to="/w/$workspaceId/imports/$importId" params={{ ...params, importId: id }}>
          {name}
        </Link>
      )
    case 'member':
      return (
        <Link to="/w/$workspaceId/members" params={params}>
          {name}
        </Link>
      )
    case 'API key':
      return (
        <Link to="/w/$workspaceId/keys" params={params}>
          {name}
        </Link>
      )
    case 'webhook':
      return (
        <Link to="/w/$workspaceId/webhooks" params={params} search={{ id }}>
          {name}
        </Link>
      )
  }
}
