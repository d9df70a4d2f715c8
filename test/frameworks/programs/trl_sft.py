from _told import of_trainer, tell
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import SFTConfig, SFTTrainer

words = Tokenizer(models.WordLevel(unk_token="[UNK]"))
words.pre_tokenizer = pre_tokenizers.Whitespace()
special = trainers.WordLevelTrainer(special_tokens=["[UNK]", "[PAD]", "[EOS]"])
words.train_from_iterator(["the quick brown fox"] * 5, special)
tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, unk_token="[UNK]", pad_token="[PAD]", eos_token="[EOS]")
model = LlamaForCausalLM(
    LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
    )
)
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=Dataset.from_list([{"text": "the quick brown fox"}] * 16),
    args=SFTConfig(
        "out",
        max_steps=4,
        logging_steps=1,
        report_to="wandb",
        use_cpu=True,
        bf16=False,
        save_strategy="no",
        run_name="sft",
    ),
)
trainer.train()
tell({"name": "sft", "points": of_trainer(trainer.state.log_history), "config": {"max_steps": 4}})
