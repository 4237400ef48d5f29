/** An entity's columns as plain data: what folds take and give. */
export type RowOf<Entity> = { [Column in keyof Entity]: Entity[Column] };
