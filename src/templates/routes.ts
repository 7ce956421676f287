import { array, type InferType } from 'yup'
import { findMembersByEmail, limitTestEmails, MEMBER_NOT_FOUND, TOO_MANY_TEST_EMAILS } from '../accounts/index.ts'
import { CONTACT_NOT_FOUND } from '../contacts/index.ts'
import {
  type ApiDependencies,
  deleted,
  deleteResultResponse,
  etagOf,
  pageResponse,
  listOf,
  operation,
  pageQuery,
  rangeOf,
  single,
  warn,
  ok,
  type Visitor,
} from '../http/index.ts'
import { isId } from '../platform/ids.ts'
import { ApiError } from '../platform/api-error.ts'
import type { Caller } from '../workspaces/index.ts'
import { compileTemplate, warningsOf } from './compile-template.ts'
import { previewTemplate, recipientOf, findUnknownVariablesIn } from './preview.ts'
import { previewOperations, sendTest, testEmailResponse } from './preview-routes.ts'
import { templatePage, versionPage } from './queries.ts'
import { INVALID_TEMPLATE, PARTIAL_NAME_TAKEN, TEMPLATE_IN_USE, TEMPLATE_NOT_FOUND } from './errors.ts'
import {
  createTemplateSchema,
  previewSavedSchema,
  previewUnsavedSchema,
  replaceTemplateSchema,
  TEMPLATE_LIMIT,
  templatesQuery,
  testTemplateSchema,
  versionQuery,
} from './schemas.ts'
import {
  presentTemplate,
  presentTemplateSummary,
  templatePreviewResponse,
  templateResponse,
  templateSummaryResponse,
  versionsResponse,
} from './responses.ts'
import {
  createTemplate,
  deleteTemplate,
  getTemplate,
  prepareTemplate,
  replaceTemplate,
  toWrittenTemplate,
} from './templates.ts'

const links = (id: string) => ({ getTemplate: { id }, replaceTemplate: { id }, deleteTemplate: { id } })

const detail = async ({ em }: Pick<ApiDependencies, 'em'>, workspaceId: string, id: string, version?: number) => {
  const { template, written } = await getTemplate(em, workspaceId, id, version)
  return { headers: etagOf(template.version), body: { data: presentTemplate(template, written) } }
}

/** Renders a saved template for a contact. @throws {ApiError} `template_not_found`; `contact_not_found`; `busy` */
async function previewSaved(
  request: { caller: Caller; visitor: Visitor; params: { id: string }; body: InferType<typeof previewSavedSchema> },
  dependencies: ApiDependencies,
) {
  const { caller, params, body } = request
  const { em, renderer } = dependencies
  const owner = caller.workspace.id
  const version = body.version === undefined ? undefined : Number(body.version)
  const { template, written } = await getTemplate(em, owner, params.id, version)
  const previewed = await recipientOf(dependencies, request, body)
  const { compiled } = written
  const compilation =
    template.kind === 'PARTIAL'
      ? await compileTemplate(em, renderer, owner, { kind: 'EMAIL', written: written.source })
      : {
          compiled,
          uses: new Map<string, number>(),
          problems: [],
          warnings: [],
          variables: written.variables,
          unknownVariables: await findUnknownVariablesIn(renderer, owner, template.kind, compiled.content),
        }
  return previewTemplate({ renderer }, owner, compilation, written.source, { ...body, ...previewed })
}

export const templateOperations = [
  ...previewOperations,

  operation({
    id: 'listTemplates',
    method: 'GET',
    path: '/templates',
    tag: 'Templates',
    summary: 'List templates',
    description: 'Newest first, without their content, and with the number of their uses.',
    scope: 'templates:read',
    query: templatesQuery,
    responses: {
      200: { description: 'A page of templates.', schema: listOf(array().of(templateSummaryResponse).required()) },
    },
    async handle({ caller, query }, { em }) {
      const page = { kind: query.kind, ...rangeOf(query) }
      const [templates, total] = await templatePage(em.fork(), caller.workspace.id, page)
      const items = templates.map((template) => ({
        ...presentTemplateSummary(template, template.subject),
        useCounts: template.useCounts,
      }))
      return pageResponse(items, query, total)
    },
  }),

  operation({
    id: 'createTemplate',
    method: 'POST',
    path: '/templates',
    tag: 'Templates',
    summary: 'Create a template',
    description:
      'Compiles the template immediately: partials, layout, MJML, inline styles and plain text. Returns an error with line and column ' +
      'if it cannot be rendered for sample contacts, with and without data.',
    scope: 'templates:write',
    orScope: 'drafts:write',
    body: createTemplateSchema,
    // A short source can become megabytes, in each language.
    bodyLimit: TEMPLATE_LIMIT,
    etag: true,
    responses: {
      201: { description: 'The template.', schema: single(templateResponse), links: links('$response.body#/data/id') },
    },
    errors: {
      400: ['name is required', INVALID_TEMPLATE],
      404: [TEMPLATE_NOT_FOUND],
      409: [PARTIAL_NAME_TAKEN],
    },
    prepare: ({ caller, body }, { em, renderer }) =>
      prepareTemplate(em, renderer, caller.workspace.id, body, { kind: body.kind ?? 'EMAIL' }),
    async handle({ caller, body, call, prepared }, { em }) {
      const kind = body.kind ?? 'EMAIL'
      const { template, written } = await createTemplate(
        em,
        caller.workspace.id,
        { name: body.name, kind },
        prepared,
        call.id,
      )
      return {
        status: 201,
        headers: { ...warn(warningsOf(prepared.compilation)), ...etagOf(template.version) },
        body: { data: presentTemplate(template, written) },
      }
    },
  }),

  operation({
    id: 'getTemplate',
    method: 'GET',
    path: '/templates/{id}',
    tag: 'Templates',
    summary: 'Get a template',
    description: 'Returns the template with its content, of the current or an earlier version.',
    scope: 'templates:read',
    query: versionQuery,
    // The response can be several megabytes.
    etag: true,
    responses: {
      200: { description: 'The template.', schema: single(templateResponse), links: links('$response.body#/data/id') },
    },
    errors: { 404: [TEMPLATE_NOT_FOUND] },
    async handle({ caller, params, query }, dependencies) {
      const version = query.version === undefined ? undefined : Number(query.version)
      return { status: 200, ...(await detail(dependencies, caller.workspace.id, params.id, version)) }
    },
  }),

  operation({
    id: 'replaceTemplate',
    method: 'PUT',
    path: '/templates/{id}',
    tag: 'Templates',
    summary: 'Replace the content of a template',
    description:
      'Replaces all of the content, as a new version. Automations and campaigns keep the version that they use. Templates that use this ' +
      'layout or partial are recompiled. If one of them fails, nothing changes.',
    scope: 'templates:write',
    body: replaceTemplateSchema,
    bodyLimit: TEMPLATE_LIMIT,
    etag: true,
    ifMatch: true,
    responses: { 200: { description: 'The template.', schema: single(templateResponse) } },
    errors: {
      400: ['name is required', INVALID_TEMPLATE],
      404: [TEMPLATE_NOT_FOUND],
      409: [PARTIAL_NAME_TAKEN, TEMPLATE_IN_USE],
    },
    prepare: ({ caller, params, body }, { em, renderer }) =>
      prepareTemplate(em, renderer, caller.workspace.id, body, { id: params.id }),
    async handle({ caller, params, body, prepared, ifMatch }, { em }) {
      const { template, written } = await replaceTemplate(
        em,
        caller.workspace.id,
        params.id,
        body.name,
        prepared,
        ifMatch,
      )
      return {
        status: 200,
        headers: { ...warn(warningsOf(prepared.compilation)), ...etagOf(template.version) },
        body: { data: presentTemplate(template, written) },
      }
    },
  }),

  operation({
    id: 'deleteTemplate',
    method: 'DELETE',
    path: '/templates/{id}',
    tag: 'Templates',
    summary: 'Delete a template',
    description: 'Deletes the template permanently, with its versions. Automations and campaigns keep its content.',
    scope: 'templates:write',
    responses: { 200: { description: 'The template was deleted.', schema: single(deleteResultResponse) } },
    errors: { 404: [TEMPLATE_NOT_FOUND], 409: [TEMPLATE_IN_USE] },
    async handle({ caller, params }, { em }) {
      await deleteTemplate(em, caller.workspace.id, params.id)
      return deleted(params.id)
    },
  }),

  operation({
    id: 'listTemplateVersions',
    method: 'GET',
    path: '/templates/{id}/versions',
    tag: 'Templates',
    summary: 'List the versions of a template',
    description: 'Newest first.',
    scope: 'templates:read',
    query: pageQuery(),
    responses: { 200: { description: 'A page of versions.', schema: listOf(versionsResponse) } },
    errors: { 404: [TEMPLATE_NOT_FOUND] },
    async handle({ caller, params, query }, { em }) {
      const { versions, total } = isId(params.id)
        ? await versionPage(em.fork(), caller.workspace.id, params.id, rangeOf(query))
        : { versions: [], total: 0 }
      // Each template has at least one version.
      if (total === 0) throw new ApiError(TEMPLATE_NOT_FOUND)
      const items = versions.map(({ version, createdAt }) => ({ version, createdAt: createdAt.toISOString() }))
      return pageResponse(items, query, total)
    },
  }),

  operation({
    id: 'previewTemplate',
    method: 'POST',
    path: '/templates/{id}/preview',
    tag: 'Templates',
    summary: 'Preview a template',
    description: 'Renders the template as it would be sent to a contact now, in their language, with lint warnings.',
    scope: 'templates:read',
    changesNothing: true,
    body: previewSavedSchema,
    bodyOptional: true,
    responses: { 200: { description: 'The email, or its problems.', schema: single(templatePreviewResponse) } },
    errors: { 404: [TEMPLATE_NOT_FOUND, CONTACT_NOT_FOUND] },
    handle: async (request, dependencies) => ok(await previewSaved(request, dependencies)),
  }),

  operation({
    id: 'testTemplate',
    method: 'POST',
    path: '/templates/{id}/test',
    tag: 'Templates',
    summary: 'Send a test email of a template',
    description:
      'Sends the template, rendered for a contact, once to each member in `to`. Only members of the workspace can get it. It does not ' +
      'appear in the delivery log. If mail is captured, it is not delivered.',
    scope: 'templates:write',
    transactional: false,
    body: testTemplateSchema,
    responses: {
      200: {
        description: 'The results, in the order of `to`.',
        schema: single(array().of(testEmailResponse).required()),
      },
    },
    errors: {
      400: ['to is required', INVALID_TEMPLATE],
      404: [TEMPLATE_NOT_FOUND, CONTACT_NOT_FOUND, MEMBER_NOT_FOUND],
      429: [TOO_MANY_TEST_EMAILS],
    },
    async handle(request, dependencies) {
      const { caller, body } = request
      const { subject, html, text, problems } = await previewSaved(request, dependencies)
      const recipients = await findMembersByEmail(dependencies.em, caller.workspace.id, body.to)
      const [problem] = problems
      if (problem) throw new ApiError(INVALID_TEMPLATE, { message: `${problem.field}: ${problem.problem}` })
      for (const { id } of recipients) await limitTestEmails(dependencies.em, id)
      const sent = []
      for (const { email: to } of recipients)
        sent.push(await sendTest(dependencies, caller, { to, subject: `[Test] ${subject}`, html, text }))
      return ok(sent)
    },
  }),

  operation({
    id: 'previewUnsavedTemplate',
    method: 'POST',
    path: '/templates/preview',
    tag: 'Templates',
    summary: 'Preview an unsaved template',
    description: 'Renders a template without saving it, and returns its problems with line and column.',
    scope: 'templates:read',
    changesNothing: true,
    body: previewUnsavedSchema,
    bodyLimit: TEMPLATE_LIMIT,
    responses: { 200: { description: 'The email, or its problems.', schema: single(templatePreviewResponse) } },
    errors: { 404: [TEMPLATE_NOT_FOUND, CONTACT_NOT_FOUND] },
    async handle(request, dependencies) {
      const { caller, body } = request
      const { em, renderer } = dependencies
      const previewed = await recipientOf(dependencies, request, body)
      const options = { kind: 'EMAIL', written: toWrittenTemplate(body) } as const
      const compilation = await compileTemplate(em, renderer, caller.workspace.id, options)
      const { written } = options
      const data = await previewTemplate({ renderer }, caller.workspace.id, compilation, written, {
        ...body,
        ...previewed,
      })
      return ok(data)
    },
  }),
]
