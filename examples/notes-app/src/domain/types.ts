/** The shapes that storage, search and pages agree on. */
export type Note = {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly tags: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
};

export type NoteDraft = Pick<Note, 'title' | 'body'> & { readonly tags?: readonly string[] };

export type SearchHit = { readonly id: string; readonly score: number };
