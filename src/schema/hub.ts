import * as z from 'zod';

/** A SHA-256 in hexadecimal. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256: 64 digits from 0 to 9 and a to f');

/** What the cache knows of a file's name. */
export const HubRecord = z.object({
  name: z.string(),
  /** Where it came from. */
  source: z.string(),
  /** The commit that the name's revision stood for, where the hub told. */
  commit: z.string().optional(),
  /** Null where the repository has no such file. */
  sha256: Sha256.nullable(),
  /** Of the file, where the name does not say it. */
  path: z.string().optional(),
});
export type HubRecord = z.infer<typeof HubRecord>;

/** What is needed to go on with a download that was cut off. */
export const HubPart = z.object({
  /** The hub's own name of the content: a file that has another one by now begins anew. */
  identity: z.string().optional(),
  /** ETag of whoever sent the bytes, for If-Range. */
  etag: z.string().optional(),
});
export type HubPart = z.infer<typeof HubPart>;

/** Files of a repository, as Hugging Face lists them. */
export const HuggingFaceTree = z.array(z.object({ type: z.string(), path: z.string() }));

/** Files of a repository, as ModelScope lists them. */
export const ModelScopeFiles = z.object({
  Data: z.object({
    Files: z.array(z.object({ Path: z.string(), Type: z.string().optional(), Sha256: z.string().nullish() })),
  }),
});
