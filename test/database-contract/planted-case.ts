/** Preloaded by a test: adds a case that secantusd-py does not pass to the cases that `npm start` examines. */
import { databaseContract } from "../../deploy/local/servers/contract/database-contract.ts";
import { expressionCase } from "../../deploy/local/servers/contract/expression-cases.ts";

/** A comparison without `toMs`, which MongoDB evaluates to true. */
const plantedCase = expressionCase("$gt of $$NOW and a stored date", { $gt: ["$$NOW", "$at"] }, true);

if (!Array.isArray(databaseContract)) throw new Error("the contract is not a list");
databaseContract.push(plantedCase);
