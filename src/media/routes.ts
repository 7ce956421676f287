import { array } from 'yup'
import {
  type ApiDependencies,
  created,
  deleted,
  deleteResultResponse,
  listOf,
  nothingToUpdate,
  ok,
  operation,
  pageResponse,
  rangeOf,
  type Scope,
  single,
  type Visitor,
} from '../http/index.ts'
import { ApiError, BUSY } from '../platform/api-error.ts'
import { MAX_IMAGE_BYTES } from '../platform/image.ts'
import { ConcurrencyLimit } from '../platform/concurrency-limit.ts'
import {
  IMAGE_TOO_LARGE,
  IMAGE_UNREACHABLE,
  MEDIA_FULL,
  MEDIA_IN_USE,
  MEDIA_NOT_FOUND,
  NOT_AN_IMAGE,
} from './errors.ts'
import { loadImage } from './load-image.ts'
import { addFile, deleteFile, getFile, listFiles, updateFile } from './media.ts'
import { findUses, type MediaUse } from './queries.ts'
import { fileDetailResponse, fileResponse, imageResponse, presentFile, presentFileDetail } from './responses.ts'
import { imageUrlSchema, mediaChangeSchema, mediaQuery, mediaSchema } from './schemas.ts'

/** Base64 takes four characters for three bytes. */
const UPLOAD_LIMIT = { bytes: Math.ceil((MAX_IMAGE_BYTES * 4) / 3) + 16 * 1024, values: 100 }

/** The images that are loaded at a time, for each workspace. */
const previews = new ConcurrencyLimit({
  maxRunning: 6,
  maxWaiting: 100,
  maxWaitMs: 15_000,
  createError: () => new ApiError(BUSY),
})

const NOTHING_TO_UPDATE = nothingToUpdate(Object.keys(mediaChangeSchema.fields))

/** The scope that may read a use. */
const SCOPES_OF_USES = {
  TEMPLATE: 'templates:read',
  AUTOMATION: 'automations:read',
  CAMPAIGN: 'campaigns:read',
  EMAIL: 'emails:send',
  SENDER: 'templates:read',
} as const satisfies Record<MediaUse['kind'], Scope>

const fileLinks = (id: string) => ({ getMediaFile: { id }, updateMediaFile: { id }, deleteMediaFile: { id } })

/** The public URL of this instance, or the origin of the request if none is known yet. */
const publicUrlFor = async ({ findPublicUrl }: Pick<ApiDependencies, 'findPublicUrl'>, { origin }: Visitor) =>
  (await findPublicUrl()) ?? origin

export const mediaOperations = [
  operation({
    id: 'listMediaFiles',
    method: 'GET',
    path: '/media-files',
    tag: 'Media',
    summary: 'List media files',
    description: 'Newest first.',
    scope: 'templates:read',
    query: mediaQuery,
    responses: { 200: { description: 'A page of files.', schema: listOf(array().of(fileResponse).required()) } },
    async handle({ caller, query, visitor }, dependencies) {
      const [files, total] = await listFiles(dependencies.em, caller.workspace.id, query.search, rangeOf(query))
      const publicUrl = await publicUrlFor(dependencies, visitor)
      return pageResponse(
        files.map((file) => presentFile(file, publicUrl)),
        query,
        total,
      )
    },
  }),

  operation({
    id: 'uploadMediaFile',
    method: 'POST',
    path: '/media-files',
    tag: 'Media',
    summary: 'Upload an image',
    description:
      'Stores an image for emails, and returns its public URL. It is scaled to at most 1,600 pixels wide, and its metadata, such as ' +
      'the location where a photo was taken, is removed. SVG and WebP become PNG or JPEG, which all mail clients show. A GIF of at most ' +
      '1,600 pixels stays unchanged. The same content is stored once: the response to a second upload is a 200 with the first file.',
    scope: 'templates:write',
    body: mediaSchema,
    bodyLimit: UPLOAD_LIMIT,
    responses: {
      200: { description: 'The workspace has this file already.', schema: single(fileResponse) },
      201: { description: 'The file.', schema: single(fileResponse), links: fileLinks('$response.body#/data/id') },
    },
    errors: { 400: [IMAGE_TOO_LARGE, NOT_AN_IMAGE], 409: [MEDIA_FULL] },
    prepare({ body }, { images }) {
      const file = Buffer.from(body.content, 'base64')
      if (file.length > MAX_IMAGE_BYTES) throw new ApiError(IMAGE_TOO_LARGE, { param: '/content' })
      return images.read(file)
    },
    async handle({ caller, body, call, prepared, visitor }, dependencies) {
      const { name, alt = null } = body
      const options = { id: call.id, maxBytes: dependencies.maxMediaBytes }
      const { file, isNew } = await addFile(dependencies.em, caller.workspace.id, { name, alt }, prepared, options)
      const shown = presentFile(file, await publicUrlFor(dependencies, visitor))
      return isNew ? created(shown) : ok(shown)
    },
  }),

  operation({
    id: 'previewImage',
    method: 'POST',
    path: '/media-files/preview',
    tag: 'Media',
    summary: 'Load an image of the web',
    description: 'Loads an image for the preview of an email, so that the browser requests nothing from other servers.',
    role: 'viewer',
    body: imageUrlSchema,
    changesNothing: true,
    responses: { 200: { description: 'The image.', schema: single(imageResponse) } },
    errors: { 400: [IMAGE_UNREACHABLE, IMAGE_TOO_LARGE, NOT_AN_IMAGE] },
    // Other servers may be slow. Waiting for them must not keep the requests of the workspace waiting.
    prepare({ caller, body, visitor }, dependencies) {
      const { em, images, webhookAllowedHosts: allowedHosts } = dependencies
      return previews.run(caller.workspace.id, async () => {
        const publicUrl = await publicUrlFor(dependencies, visitor)
        return loadImage(em.fork(), body.url, { publicUrl, allowedHosts, images })
      })
    },
    handle: ({ prepared }) => ok({ dataUrl: prepared }),
  }),

  operation({
    id: 'getMediaFile',
    method: 'GET',
    path: '/media-files/{id}',
    tag: 'Media',
    summary: 'Get a media file',
    description:
      'Returns a file, and the templates, automations, campaigns and scheduled emails that show it, limited to those that ' +
      'the scopes of the caller can read.',
    scope: 'templates:read',
    responses: {
      200: {
        description: 'The file.',
        schema: single(fileDetailResponse),
        links: fileLinks('$response.body#/data/id'),
      },
    },
    errors: { 404: [MEDIA_NOT_FOUND] },
    async handle({ caller, params, visitor }, dependencies) {
      const em = dependencies.em.fork()
      const file = await getFile(em, caller.workspace.id, params.id)
      const uses = await findUses(em, caller.workspace.id, file.hash)
      const mayRead = uses.filter(({ kind }) => caller.scopes.includes(SCOPES_OF_USES[kind]))
      return ok(presentFileDetail(file, await publicUrlFor(dependencies, visitor), mayRead))
    },
  }),

  operation({
    id: 'updateMediaFile',
    method: 'PATCH',
    path: '/media-files/{id}',
    tag: 'Media',
    summary: 'Update a media file',
    description: 'Changes the name or the alt text. Emails that exist keep the alt text that they have.',
    scope: 'templates:write',
    body: mediaChangeSchema,
    responses: { 200: { description: 'The file.', schema: single(fileResponse) } },
    errors: { 400: [NOTHING_TO_UPDATE], 404: [MEDIA_NOT_FOUND] },
    async handle({ caller, params, body, visitor }, dependencies) {
      if (Object.keys(body).length === 0) throw new ApiError(NOTHING_TO_UPDATE)
      const file = await updateFile(dependencies.em, caller.workspace.id, params.id, body)
      return ok(presentFile(file, await publicUrlFor(dependencies, visitor)))
    },
  }),

  operation({
    id: 'deleteMediaFile',
    method: 'DELETE',
    path: '/media-files/{id}',
    tag: 'Media',
    summary: 'Delete a media file',
    description: 'Its URL becomes invalid. Emails that were sent show a gap in its place.',
    scope: 'templates:write',
    responses: { 200: { description: 'Deleted.', schema: single(deleteResultResponse) } },
    errors: { 404: [MEDIA_NOT_FOUND], 409: [MEDIA_IN_USE] },
    async handle({ caller, params }, { em }) {
      await deleteFile(em, caller.workspace.id, params.id)
      return deleted(params.id)
    },
  }),
]
