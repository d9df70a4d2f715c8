import { changeModel, createModel, deleteModel } from "./model.ts";
import {
  addVersion,
  changeAlias,
  changeTags,
  changeVersion,
  deleteVersion,
  moveStage,
} from "./model-versions.ts";
import { readDownloadUri, readModel, readVersion } from "./read.ts";
import { linkVersion, listModels, readModelAliasHistory, viewModel, viewVersion } from "./view.ts";
import { searchModels, searchVersions } from "./search.ts";

export const registryWrites = {
  "registry.create": createModel,
  "registry.change": changeModel,
  "registry.delete": deleteModel,
  "registry.addVersion": addVersion,
  "registry.changeVersion": changeVersion,
  "registry.deleteVersion": deleteVersion,
  "registry.moveAlias": changeAlias,
  "registry.moveStage": moveStage,
  "registry.tag": changeTags,
  "registry.link": linkVersion,
};

export const registryReads = {
  "registry.model": readModel,
  "registry.version": readVersion,
  "registry.downloadUri": readDownloadUri,
  "registry.list": listModels,
  "registry.view": viewModel,
  "registry.viewVersion": viewVersion,
  "registry.aliasHistory": readModelAliasHistory,
  "registry.searchModels": searchModels,
  "registry.searchVersions": searchVersions,
};
